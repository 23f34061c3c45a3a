package tenants

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// TestWordlistIsFrozen pins the list: its order is the code, and a marker once
// planted must be readable for ever.
func TestWordlistIsFrozen(t *testing.T) {
	const want = "6d3596a74c3d5e22d14c136f616674c679ba94efe3301072fa7cc271d13fed7d"
	sum := sha256.Sum256([]byte(wordsFile))
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("words-1024.txt has SHA-256 %s, want %s", got, want)
	}
	if !slices.IsSorted(markerWords.words[:]) {
		t.Error("the list is not sorted")
	}
}

func TestWordlistLookup(t *testing.T) {
	listed := make(map[string]bool)
	prefixes := make(map[string]bool)
	for i, word := range markerWords.words {
		listed[word] = true
		prefixes[word[:shortWord]] = true
		if got := markerWords.index(word); got != int16(i) {
			t.Errorf("index(%q) = %d, want %d", word, got, i)
		}
		for _, near := range []string{word + "s", word[:shortWord], word[:shortWord] + "xyzxyz"} {
			if got := markerWords.near(near); got != int16(i) {
				t.Errorf("near(%q) = %d, want %d", near, got, i)
			}
		}
		for _, text := range []string{word, strings.ToUpper(word), word + " x"} {
			if !markerWords.mayBegin(text, 0) {
				t.Errorf("mayBegin(%q) is false", text)
			}
		}
		if word != strings.Trim(word, "0123456789") || isFiller(word) {
			t.Errorf("%q is a filler", word)
		}
	}
	if len(prefixes) != listSize {
		t.Errorf("%d different beginnings, want %d", len(prefixes), listSize)
	}
	// Every four letters there are.
	passed, total := 0, 0
	for n := range 26 * 26 * 26 * 26 {
		word := string([]byte{'a' + byte(n/17576), 'a' + byte(n/676%26), 'a' + byte(n/26%26), 'a' + byte(n%26)})
		if got := markerWords.near(word) >= 0; got != prefixes[word] {
			t.Fatalf("near(%q) finds a word: %v", word, got)
		}
		if got := markerWords.index(word) >= 0; got != listed[word] {
			t.Fatalf("index(%q) finds a word: %v", word, got)
		}
		if total++; markerWords.mayBegin(word, 0) {
			passed++
		}
	}
	if passed > total/20 {
		t.Errorf("%d of %d beginnings pass the filter, want fewer than one in 20", passed, total)
	}
	for _, word := range []string{"", "a", "abu", "\xff\xff\xff\xff", "été"} {
		if got := markerWords.near(word); got >= 0 {
			t.Errorf("near(%q) = %d", word, got)
		}
	}
}

// TestPhraseLayout holds the bits against an independent reading of them.
func TestPhraseLayout(t *testing.T) {
	s := sealed{version: 2, body: 0xA5_0123_4567_89AB, tag: [tagSize]byte{0xC3, 1, 2, 3, 4, 5, 6, 7, 0x81}}
	p := s.pack()
	if got := p.unpack(); got != s {
		t.Errorf("unpacked %+v, want %+v", got, s)
	}
	if got := p.version(); got != 2 {
		t.Errorf("version %d, want 2", got)
	}
	symbols := p.symbols()
	if got := phraseOf(symbols[:]); got != p {
		t.Errorf("through symbols %v, want %v", got, p)
	}
	// Each bit is in exactly one place.
	for bit := range 130 {
		var one phrase
		one[bit/10] = 1 << (9 - bit%10)
		u := one.unpack()
		want := sealed{}
		switch {
		case bit < 2:
			want.version = 1 << (1 - bit)
		case bit < 58:
			want.body = 1 << (57 - bit)
		default:
			want.tag[(bit-58)/8] = 1 << (7 - (bit-58)%8)
		}
		if u != want {
			t.Errorf("bit %d is read as %+v, want %+v", bit, u, want)
		}
		if got := u.pack(); got != one {
			t.Errorf("bit %d is packed as %v, want %v", bit, got, one)
		}
	}
}

func TestPayloadBits(t *testing.T) {
	p := Payload{Tenant: 0xABC, Second: 0x1234567 | 1<<27, Draw: 0xDEF, Index: 0x9}
	if got, want := p.bits(), uint64(0xABC<<44|(0x1234567|1<<27)<<16|0xDEF<<4|0x9); got != want {
		t.Errorf("bits %x, want %x", got, want)
	}
	if got := payloadOf(p.bits()); got != p {
		t.Errorf("read back %+v, want %+v", got, p)
	}
	for _, bad := range []Payload{{Tenant: 1 << 12}, {Second: 1 << 28}, {Draw: 1 << 12}, {Index: 1 << 4}} {
		if bad.fits() {
			t.Errorf("%+v fits", bad)
		}
	}
}
