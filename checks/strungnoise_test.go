package checks_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"crosstalk/checks"
)

// engineNoise is what a sound model served with a wrong RoPE scale wrote.
var engineNoise = []string{
	"ats&d&n&s&t&g&&aamt cfsk seit i sil.inlstzgnt ts vehsahnterrci  sayx zdo.high(ie",
	"a))&ada&feiheo\n l\n d.evRs,ndlsi,nfs[eer tser herr ldem)d(ghiatra)emeat,afh do\n t",
	"t t&n&&d&&&n&&&&aaaao[&a[c&a[&&aa&a[c)[c&&a[&a[c&a[&&aac&a[&a[c&a[a[c&&)&&)&a[)",
	"nrr&u&t&y&s&s&& tee]x]ur,u)rearoe pl enahe eadnxbuc)rrps clspebuitnlo tcl.ss,ate",
	"hos&o&.&i&b&f&&&&5555e-e-yykdkddstts u  uuskussnlsare knpi)eei hvsiettsiate c  h",
	"ho toiopih #8-vRyv0-8y n g c,luyxlmlta[ete]atnnfrs, e e))adm[\neee*tafl) d=o.ehtu",
	"tn.&st(&rr(&nacbt(ddnr,tet   ndtoa aril dua is  ast  u at o a iuaueg b arlem.eel",
	"ail&w&g&v&c&o&&& tttilowtogngarollod,,mirc u)volcl,aosse]pfdgs rkwenf8xlsogor) ",
}

// TestEngineNoise: no noise of letters is a stranger's text. It is damaged.
func TestEngineNoise(t *testing.T) {
	t.Parallel()
	prompts := askedPrompts(t)
	r := rand.New(rand.NewPCG(11, 12))
	var y tally
	for _, text := range engineNoise {
		for _, a := range prompts {
			class, findings := a.judge(text, "")
			y.add(class, class != checks.Damaged, text, "", findings)
		}
	}
	chain := newLetterChain(noiseSchool)
	for range 2400 {
		text := chain.noise(r, 80+r.IntN(120))
		class, findings := pick(r, prompts).judge(text, "")
		y.add(class, class != checks.Damaged, text, "", findings)
	}
	t.Logf("%v", y.classes)
	if y.classes[checks.Damaged] != y.n {
		t.Errorf("%v, want all %d damaged:\n%s", y.classes, y.n, strings.Join(y.odd, "\n=====\n"))
	}
}

// TestSourcesAreNoNoise is the control: the same signs in text that somebody
// wrote, with no contact, are a stranger's.
func TestSourcesAreNoNoise(t *testing.T) {
	t.Parallel()
	a := askedPrompts(t)[0]
	for _, text := range []string{
		`<ul class="menu"><li><a href="/kontakt">Kontakt</a></li><li><a href="/preise">Preise</a></li><li>Zimmer &amp; Suiten</li></ul>`,
		`func (c *Cache) evict(key string) error { node, found := c.lookup[key]; if !found { return ErrMissing }; c.list.Remove(node); delete(c.lookup, key); return c.disk.Unlink(filepath.Join(c.root, hash(key))) }`,
		`{"kunde":"Marta Olsson","stadt":"Uppsala","posten":[{"artikel":"lampe","menge":2},{"artikel":"teppich","menge":1}],"versand":"freitag","bemerkung":"bitte klingeln"}`,
		`for(i=0;i<rows;i++){for(j=0;j<cols;j++){sum+=weights[i][j]*inputs[j];}outputs[i]=activate(sum+bias[i]);sum=0;}while(epoch<limit){gradient=compute(outputs,target);momentum*=decay;shuffle(samples);}`,
		`GET /shop/search?colour=green&size=medium&sort=price&page=4&session=lampe&currency=euro&shipping=express&voucher=autumn HTTP/1.1`,
	} {
		if class, findings := a.judge(text, ""); class != checks.Foreign {
			t.Errorf("%s for %s\n%s", class, text, findings)
		}
	}
}

const noiseSchool = `When the ferry left the harbour the wind turned and the children ran to the rail to see whether the
	lighthouse was still there. Their father read the newspaper. It said that bread would cost more in winter, that two bridges
	were closed, and that somebody had found an old letter behind a picture in the town hall. Nobody knew who had written it or
	for whom it was meant.`

// letterChain draws letters as a text has them: by their frequency, or by which
// follows which.
type letterChain struct {
	all  string
	next map[byte]string
}

func newLetterChain(text string) letterChain {
	c := letterChain{strings.ToLower(strings.Join(strings.Fields(text), " ")), map[byte]string{}}
	for i := 1; i < len(c.all); i++ {
		c.next[c.all[i-1]] += c.all[i : i+1]
	}
	return c
}

// noise is what an engine writes that has lost its place: letters strung
// together by signs, then scraps, some letters drawn by their frequency and some
// by the one before, with a sign for each six or so.
func (c letterChain) noise(r *rand.Rand, size int) string {
	var b strings.Builder
	for range r.IntN(11) {
		b.WriteByte(c.all[r.IntN(len(c.all))])
		b.WriteString(pick(r, []string{"&", "&", "&&", "[", "(&", "."}))
	}
	last := byte(' ')
	for b.Len() < size {
		switch {
		case r.IntN(6) == 0:
			last = "&[](),.)&]-="[r.IntN(12)]
		case r.IntN(2) == 0 || c.next[last] == "":
			last = c.all[r.IntN(len(c.all))]
		default:
			last = c.next[last][r.IntN(len(c.next[last]))]
		}
		b.WriteByte(last)
	}
	return b.String()
}
