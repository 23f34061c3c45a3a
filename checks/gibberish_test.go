package checks

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestGibberish: letters without words are noise, and no language is.
func TestGibberish(t *testing.T) {
	for _, text := range []string{
		"Suomen kielen sanat ovat pitkiä ja taivutus on rikasta, joten tämä lause näyttää oudolta koneelle",
		"Bugün hava çok güzel olduğu için çocuklarla birlikte parka gittik ve akşama kadar orada oynadık",
		"Wczoraj wieczorem poszliśmy do kina na nowy film, który bardzo nam się podobał, chociaż był za długi",
		"Hôm nay tôi đi chợ mua một ít rau và cá để nấu bữa tối cho gia đình của mình ở quê",
		"Tegnap este moziba mentünk, és megnéztük az új filmet, amely nagyon tetszett mindenkinek a családban",
		"Leo asubuhi nilienda sokoni kununua matunda na mboga kwa ajili ya chakula cha jioni cha familia yangu",
		"Bhí an aimsir go hálainn inné agus chuamar go léir ag siúl cois farraige leis na páistí",
		"Vakar vakare nuėjome į kiną žiūrėti naujo filmo, kuris mums labai patiko, nors buvo truputį per ilgas",
		"func (c *Cache) evict(key string) error { node, found := c.lookup[key]; if !found { return ErrMissing } }",
		`{"user_id": "u_8812", "email": "m.ortiz@example.com", "cart": [{"sku": "TSHIRT-XL", "qty": 2}]}`,
		"short one",
		"我们昨天晚上去电影院看了一部新电影",
	} {
		if isGibberish(text) {
			t.Errorf("%q was taken for noise", text)
		}
	}
	for _, text := range []string{ // seen on a real engine with a wrong RoPE scale
		"nI.&eae&den&aoursde .elgorryl f dcia rsnn.s  ylldthtsefeade telh",
		"ro(&ehm&h.m&adeioiinat gdrg is=uplllemj s yp zttt:weir=s voeliio",
	} {
		if !isGibberish(text) {
			t.Errorf("%q was taken for language", text)
		}
	}
}

// TestGibberishRate draws letters by their frequency in English: of 120, nearly
// all samples are told from language.
func TestGibberishRate(t *testing.T) {
	const english = "eeeeeeeeeeeetttttttttaaaaaaaaoooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummmwwffggyyppbbvk      " +
		"            "
	rng := rand.New(rand.NewPCG(3, 4))
	missed := 0
	for range 1000 {
		var b strings.Builder
		for range 120 {
			b.WriteByte(english[rng.IntN(len(english))])
		}
		if !isGibberish(b.String()) {
			missed++
		}
	}
	if missed > 50 {
		t.Errorf("%d of 1,000 samples were taken for language", missed)
	}
}
