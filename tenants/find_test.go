package tenants_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crosstalk/corpus"
	"crosstalk/tenants"
)

// testKey is a fixed key; n makes others.
func testKey(t testing.TB, n byte) tenants.FleetKey {
	t.Helper()
	var raw [32]byte
	for i := range raw {
		raw[i] = byte(i) + n
	}
	key, err := tenants.ParseFleetKey(encode(raw[:]))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// mint mints the marker of the first draw from p on that is usable.
func mint(t testing.TB, c *tenants.Codec, p tenants.Payload, d corpus.Dress) (tenants.Payload, string) {
	t.Helper()
	for range 1 << 12 {
		if text, ok := c.Mint(p, d); ok {
			return p, text
		}
		p.Draw = (p.Draw + 1) & 0xFFF
	}
	t.Fatalf("no draw gives a usable marker for %+v", p)
	panic("unreachable")
}

// found is a hit as the tests compare it.
type found struct {
	Payload tenants.Payload
	Edit    tenants.Edit
	Text    string // what the hit covers
}

func find(c *tenants.Codec, text string) []found {
	var out []found
	for _, h := range c.Find(text) {
		out = append(out, found{h.Payload, h.Edit, text[h.Start:h.End]})
	}
	return out
}

var somePayload = tenants.Payload{Tenant: 7, Second: 28_900_000, Draw: 1234, Index: 3}

// TestFindFolds reads a marker in the clothes that models put on it.
func TestFindFolds(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	p, marker := mint(t, c, somePayload, corpus.DressWords)
	w := strings.Fields(marker)
	join := func(sep string) string { return strings.Join(w, sep) }
	numbered := func(format func(i int, w string) string) string {
		var b strings.Builder
		for i, word := range w {
			b.WriteString(format(i, word))
		}
		return b.String()
	}
	digit := func(i int) string { return string(rune('0' + i%10)) }
	tests := []struct{ name, text string }{
		{"as minted", marker},
		{"in a seal line", "seal 3: " + marker + "\nseal 4: none"},
		{"capitals", strings.ToUpper(marker)},
		{"title case", strings.ToUpper(marker[:1]) + marker[1:] + "."},
		{"commas", join(", ")},
		{"hyphens", join("-")},
		{"underscores", join("_")},
		{"hyphens wrapped", strings.Join(w[:6], "-") + "-\n" + strings.Join(w[6:], "-")},
		{"hyphens wrapped at each", join("-\n")},
		{"wrapped", strings.Join(w[:5], " ") + "\n    " + strings.Join(w[5:], " ")},
		{"quoted", "> " + strings.Join(w[:5], " ") + "\n> " + strings.Join(w[5:], " ")},
		{"json array", `["` + join(`","`) + `"]`},
		{"json array, one a line", "[\n  \"" + join("\",\n  \"") + "\"\n]"},
		{"escaped line breaks", `{"text":"` + join(`\n`) + `"}`},
		{"escaped separators", `"` + join(`\u0020`) + `"`},
		{"bullets", "- " + join("\n- ")},
		{"numbered list", numbered(func(i int, w string) string { return digit(i) + ". " + w + "\n" })},
		{"numbered in line", numbered(func(i int, w string) string { return digit(i) + ") " + w + " " })},
		{"bold words", "**" + join("** **") + "**"},
		{"emphasis", "_" + join("_ _") + "_"},
		{"inline code", "`" + marker + "`"},
		{"table row", "| " + join(" | ") + " |"},
		{"lettered list", numbered(func(i int, w string) string { return string(rune('a'+i)) + ") " + w + "\n" })},
		{"html list", "<ul><li>" + join("</li>\n<li>") + "</li></ul>"},
		{"html", "<b>" + join("</b> <b>") + "</b>"},
		{"curly quotes", "“" + join("” “") + "”"},
		{"no-break spaces", join("\u00a0")},
		{"zero width", strings.ReplaceAll(marker, "a", "a\u200b")},
		{"soft hyphens", strings.ReplaceAll(marker, "e", "\u00ade")},
		{"combining underline", strings.ReplaceAll(marker, "o", "o\u0332")},
		{"hyphenated at a line end", w[0][:2] + "-\n" + w[0][2:] + " " + strings.Join(w[1:], " ")},
		{"full width", fullWidth(marker)},
		{"within chinese", "印章是" + marker + "的内容"},
		{"carriage returns", join("\r\n")},
		{"between other words", "the abundant harbour " + marker + " and zebra"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hits := c.Find(tt.text)
			if len(hits) != 1 || hits[0].Payload != p || hits[0].Edit != tenants.EditNone {
				t.Fatalf("Find(%q) = %+v, want exactly %+v", tt.text, hits, p)
			}
			h := hits[0]
			first, last := foldedEnds(tt.text[h.Start:h.End])
			if !strings.HasPrefix(first, w[0]) || !strings.HasSuffix(last, w[12]) {
				t.Errorf("the hit covers %q to %q, want %q to %q", first, last, w[0], w[12])
			}
		})
	}
}

func TestFindFoldsCodes(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	p, code := mint(t, c, somePayload, corpus.DressCode)
	flat := strings.ReplaceAll(code, "-", "")
	groups := strings.Split(code, "-")
	tests := []struct{ name, text string }{
		{"as minted", code},
		{"in a line", "The code is " + code + "."},
		{"capitals", strings.ToUpper(code)},
		{"without hyphens", flat},
		{"spaces", strings.ReplaceAll(code, "-", " ")},
		{"dashes", strings.ReplaceAll(code, "-", "–")},
		{"fours", flat[:4] + "-" + flat[4:8] + "-" + flat[8:12] + "-" + flat[12:16] + "-" + flat[16:20] + "-" + flat[20:24] + "-" + flat[24:]},
		{"wrapped at a hyphen", strings.Join(groups[:3], "-") + "-\n" + strings.Join(groups[3:], "-")},
		{"wrapped within a group", code[:8] + "\n" + code[8:]},
		{"quoted and wrapped", "> " + strings.Join(groups[:3], "-") + "-\n> " + strings.Join(groups[3:], "-")},
		{"aliases", strings.NewReplacer("0", "o", "1", "l").Replace(code)},
		{"capital aliases", strings.NewReplacer("0", "O", "1", "I").Replace(strings.ToUpper(code))},
		{"bold", "**" + code + "**"},
		{"json", `{"code":"` + code + `"}`},
		{"zero width", code[:3] + "\u200b" + code[3:]},
		{"full width", fullWidth(code)},
		{"labelled", "seal-" + code},
		{"twin numbers", "12 345 6789: " + code + " 12:30"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hits := c.Find(tt.text)
			if len(hits) != 1 || hits[0].Payload != p || hits[0].Edit != tenants.EditNone || hits[0].Dress != corpus.DressCode {
				t.Fatalf("Find(%q) = %+v, want exactly %+v", tt.text, hits, p)
			}
		})
	}
}

func TestFindOneEdit(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	p, marker := mint(t, c, somePayload, corpus.DressWords)
	w := strings.Fields(marker)
	other := "zebra"
	if strings.Contains(marker, other) {
		t.Fatal("the marker has the word that is put in")
	}
	replace := func(at int, with ...string) string {
		out := append([]string{}, w[:at]...)
		return strings.Join(append(append(out, with...), w[at+1:]...), " ")
	}
	check := func(name, text string, want found) {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff([]found{want}, find(c, text)); diff != "" {
				t.Errorf("Find(%q) (-want +got):\n%s", text, diff)
			}
		})
	}
	for _, at := range []int{0, 1, 4, 5, 6, 11, 12} {
		for _, word := range []string{"abundant", "xylophonist", w[at] + "s", w[at][:4]} {
			if word == w[at] {
				continue // a word of four letters is its own prefix
			}
			text := replace(at, word)
			check("substituted", text, found{p, tenants.EditSubstituted, text})
			check("substituted in a seal line", "seal 3: "+text+"\nseal 4: no", found{p, tenants.EditSubstituted, text})
		}
		lost := replace(at)
		check("lost", lost, found{p, tenants.EditLost, lost})
		check("lost behind a number", "seal 3 "+lost+" 4 none", found{p, tenants.EditLost, lost})
		check("lost in a seal line", "seal 3: "+lost+"\nseal 4: no", found{p, tenants.EditLost, lost})
		if at > 0 { // before the first it is no edit
			for _, word := range []string{"abundant", "xylophonist", w[at-1] + "s"} {
				text := replace(at, word, w[at])
				check("added", text, found{p, tenants.EditAdded, text})
			}
		}
	}
	plural := strings.Join([]string{w[0] + "s", w[1], w[2], w[3], w[4][:4], w[5], w[6], w[7], w[8], w[9] + "ing"}, " ") +
		" " + strings.Join(w[10:], " ")
	check("three endings", plural, found{p, tenants.EditSubstituted, plural})
	check("within listed words", "abundant academy "+replace(6, "accent")+" abundant", found{p, tenants.EditSubstituted, replace(6, "accent")})

	t.Run("two edits are none", func(t *testing.T) {
		for _, text := range []string{
			"xylophonist " + strings.Join(w[1:12], " ") + " xylophonist",
			strings.Join(w[1:12], " "),
			strings.Join(w[:5], " ") + " " + w[6] + " " + w[5] + " " + strings.Join(w[7:], " "),
		} {
			if got := find(c, text); got != nil {
				t.Errorf("Find(%q) = %+v, want nothing", text, got)
			}
		}
	})
}

func TestFindOneEditInCodes(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	p, code := mint(t, c, somePayload, corpus.DressCode)
	for at := range code {
		if code[at] == '-' {
			continue
		}
		for _, flat := range []bool{false, true} {
			variants := []struct {
				text string
				edit tenants.Edit
			}{
				{code[:at] + otherSymbol(code[at]) + code[at+1:], tenants.EditSubstituted},
				{code[:at] + "u" + code[at+1:], tenants.EditSubstituted},
				{code[:at] + code[at+1:], tenants.EditLost},
				{code[:at] + "x" + code[at:], tenants.EditAdded},
				{code[:at] + "u" + code[at:], tenants.EditAdded},
			}
			for _, v := range variants {
				text := v.text
				if flat {
					text = strings.ReplaceAll(text, "-", "")
				}
				if diff := cmp.Diff([]found{{p, v.edit, text}}, find(c, "code: "+text+" end")); diff != "" {
					t.Errorf("Find(%q) (-want +got):\n%s", text, diff)
				}
			}
		}
	}
}

// TestFindMany reads an answer with all seals of a prompt, half of them
// damaged, and a stranger's between.
func TestFindMany(t *testing.T) {
	own, foreign := tenants.NewCodec(testKey(t, 0)), tenants.NewCodec(testKey(t, 9))
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	var want []found
	for i := range 16 {
		p, marker := mint(t, own, tenants.Payload{Tenant: 3, Second: 99, Draw: uint16(i * 200), Index: uint8(i)}, corpus.DressWords)
		edit := tenants.EditNone
		if i%2 == 1 {
			w := strings.Fields(marker)
			w[rng.IntN(13)] = "abundant"
			if i%4 == 1 {
				w = w[:12]
			}
			marker = strings.Join(w, " ")
			edit = ""
		}
		b.WriteString(strings.Join([]string{digits(i + 1), ": ", marker, "\n"}, ""))
		if edit != "" {
			want = append(want, found{p, edit, marker})
		} else if i%4 == 3 {
			want = append(want, found{p, tenants.EditSubstituted, marker})
		}
		_, stranger := mint(t, foreign, p, corpus.DressWords)
		b.WriteString(stranger + "\n")
	}
	got := find(own, b.String())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFindLongRow reads more codes in a row than are read in one piece: each is
// found once, wherever the pieces meet.
func TestFindLongRow(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	_, code := mint(t, c, somePayload, corpus.DressCode)
	const n = 2500
	hits := c.Find(strings.Repeat(code+" x1\n", n))
	if len(hits) != n {
		t.Errorf("found %d codes, want %d", len(hits), n)
	}
	for i, h := range hits {
		if want := i * (len(code) + 4); h.Start != want || h.Edit != tenants.EditNone {
			t.Fatalf("code %d is found at %d (%s), want %d", i, h.Start, h.Edit, want)
		}
	}
}

// TestRandomRoundTrips mints and finds 100,000 markers of random payloads in
// random clothes.
func TestRandomRoundTrips(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 5_000
	}
	c := tenants.NewCodec(testKey(t, 0))
	rng := rand.New(rand.NewPCG(3, 4))
	seps := []string{" ", "-", ", ", "\n", "\n- ", "_", "\" \"", "\u00a0", "** **"}
	repeated, short := 0, 0
	for i := range n {
		p := tenants.Payload{
			Tenant: uint16(rng.UintN(1 << 12)), Second: uint32(rng.UintN(1 << 28)),
			Draw: uint16(rng.UintN(1 << 12)), Index: uint8(rng.UintN(1 << 4)),
		}
		dress := corpus.DressWords
		if i%2 == 1 {
			dress = corpus.DressCode
		}
		text, ok := c.Mint(p, dress)
		if !ok {
			if dress == corpus.DressCode {
				short++
			} else {
				repeated++
			}
			continue
		}
		worn := text
		if dress == corpus.DressWords {
			worn = strings.ReplaceAll(text, " ", seps[rng.IntN(len(seps))])
		}
		switch rng.IntN(4) {
		case 0:
			worn = strings.ToUpper(worn)
		case 1:
			at := 1 + rng.IntN(len(worn)-2)
			if worn[at] < 0x80 && worn[at-1] < 0x80 && worn[at] != '\n' && worn[at-1] != '\n' && worn[at] != '-' && worn[at-1] != '-' {
				worn = worn[:at] + "\u200b" + worn[at:]
			}
		}
		hits := c.Find("The answer: " + worn + "; so it is.")
		if len(hits) != 1 || hits[0].Payload != p || hits[0].Dress != dress || hits[0].Edit != tenants.EditNone {
			t.Fatalf("%+v minted as %q and worn as %q is found as %+v", p, text, worn, hits)
		}
	}
	t.Logf("of %d payloads per dress, %d repeat a word and %d have too few digits", n/2, repeated, short)
}

// TestKeysDoNotReadEachOther gives each of two codecs the other's markers, as
// minted and with an edit, and a million windows of listed words.
func TestKeysDoNotReadEachOther(t *testing.T) {
	a, b := tenants.NewCodec(testKey(t, 0)), tenants.NewCodec(testKey(t, 1))
	windows := 1_000_000
	if testing.Short() {
		windows = 20_000
	}
	var text strings.Builder
	for i := 0; i*13 < windows; i++ {
		p := tenants.Payload{Tenant: uint16(i & 0xFFF), Second: uint32(i), Draw: uint16(i * 7 & 0xFFF)}
		if marker, ok := b.Mint(p, corpus.DressWords); ok {
			text.WriteString(marker)
			text.WriteByte('\n')
		}
		if i%100 == 0 {
			if code, ok := b.Mint(p, corpus.DressCode); ok {
				text.WriteString(code + "\n")
			}
		}
	}
	if hits := a.Find(text.String()); hits != nil {
		t.Errorf("%d markers of another key verify, the first is %+v", len(hits), hits[0])
	}
	if hits := b.Find(text.String()); len(hits) < windows/14 {
		t.Errorf("the key itself reads %d markers, want about %d", len(hits), windows/13)
	}
}

// TestRotation holds that the newest key mints and all verify.
func TestRotation(t *testing.T) {
	older, newer := tenants.NewCodec(testKey(t, 0)), tenants.NewCodec(testKey(t, 1))
	both := tenants.NewCodec(testKey(t, 1), testKey(t, 0))
	p, old := mint(t, older, somePayload, corpus.DressWords)
	hits := both.Find(old)
	if len(hits) != 1 || hits[0].Payload != p || hits[0].Key != 1 {
		t.Fatalf("a marker of the older key is found as %+v", hits)
	}
	if got, want := both.Under(hits[0].Key).PromptKey(p), older.PromptKey(p); got != want {
		t.Error("the older key's prompt key differs")
	}
	again, ok := both.As(older.KeyID())
	if !ok || again.PromptKey(p) != older.PromptKey(p) || again.KeyID() != older.KeyID() || len(again.Find(old)) != 1 {
		t.Error("as under the older key it is not the older key's codec")
	}
	if same, ok := both.As(""); !ok || same.KeyID() != newer.KeyID() || !slices.Equal(both.KeyIDs(), []string{newer.KeyID(), older.KeyID()}) {
		t.Errorf("the newest of %v is not %s", both.KeyIDs(), newer.KeyID())
	}
	if _, ok := newer.As(older.KeyID()); ok {
		t.Error("a key that was retired is there")
	}
	minted, _ := both.Mint(p, corpus.DressWords)
	if want, _ := newer.Mint(p, corpus.DressWords); minted != want {
		t.Error("the newest key does not mint")
	}
	if single := older.Find(old); hits[0].PChance != 2*single[0].PChance {
		t.Errorf("with two keys p is %v, with one %v: want twice as much", hits[0].PChance, single[0].PChance)
	}
}

func TestPChance(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	_, marker := mint(t, c, somePayload, corpus.DressWords)
	hits := c.Find(marker)
	if got, want := hits[0].PChance, math.Ldexp(1, -72); got != want {
		t.Errorf("one window, read once: p is %v, want %v", got, want)
	}
	w := strings.Fields(marker)
	w[6] = "xylophonist"
	hits = c.Find(strings.Join(w, " "))
	if got, low, high := hits[0].PChance, math.Ldexp(1024, -72), 1e-17; got < low || got > high {
		t.Errorf("one unknown word: p is %v, want %v or somewhat more", got, low)
	}
	// The longest text within the bounds on work.
	hits = c.Find(marker + "\n" + strings.Repeat("abundant academy accent accord ", 100_000))
	if len(hits) == 0 || hits[0].PChance > 1e-12 || hits[0].PChance < math.Ldexp(400_000, -72) {
		t.Errorf("a hostile text: %+v, want p below 1e-12 and above that of its windows", hits)
	}
}

// TestFindIsBounded feeds texts made to be expensive. Run with -v to see the cost.
func TestFindIsBounded(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	p, marker := mint(t, c, somePayload, corpus.DressWords)
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			hits, complete := c.FindBounded(text + "\n\n" + marker + "\n\n" + text)
			if len(hits) != 1 || hits[0].Payload != p {
				t.Errorf("found %d markers, want the one in the middle", len(hits))
			}
			t.Logf("complete: %v", complete)
		})
	}
	if _, complete := c.FindBounded(hostile()["listed words"]); complete {
		t.Error("a megabyte of listed words was searched completely, want the bound to hold")
	}
	if _, complete := c.FindBounded("plain text " + marker); !complete {
		t.Error("a plain text was not searched completely")
	}
}

// TestLoopIsSearchedWhole: an answer caught in a loop of listed words is the same
// few windows a thousand times. They are tried once, and the marker with an edit
// that stands among them is found.
func TestLoopIsSearchedWhole(t *testing.T) {
	c := tenants.NewCodec(testKey(t, 0))
	p, marker := mint(t, c, somePayload, corpus.DressWords)
	w := strings.Fields(marker)
	edited := strings.Join(append(w[:6:6], w[7:]...), " ")
	loop := strings.Repeat(strings.Join(listedWords()[:9], " ")+" ", 500)
	hits, complete := c.FindBounded(loop + edited + " " + loop)
	if !complete {
		t.Error("the loop was not searched to its end")
	}
	if len(hits) != 1 || hits[0].Payload != p || hits[0].Edit != tenants.EditLost {
		t.Errorf("found %+v, want the marker that lost a word", hits)
	}
}
