package corpus

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
)

// plainText is text that has nothing to do with the corpus.
const plainText = `The committee met on Tuesday to look at the budget for the new bridge. Nobody
was amazed that the first estimate had been too low; what puzzled the members was by how much. "We
were told it would be done in two years," said the chair, "and here we are, dozing over a revised
plan with zebra crossings in it." A vote was put off until the figures had been gone through again.`

func testKey(n byte) Key {
	return sha256.Sum256([]byte{'k', 'e', 'y', n})
}

// testMarkers makes markers of the form that package tenants mints.
func testMarkers(spec Spec) []string {
	list := markerWords()
	var markers []string
	for i := range spec.Seals {
		sum := sha256.Sum256([]byte{byte(i)})
		if spec.Dress == DressCode {
			code := strings.ToLower(base32.HexEncoding.EncodeToString(sum[:]))
			markers = append(markers, fmt.Sprintf("%s-%s-%s-%s-%s", code[:5], code[5:10], code[10:15], code[15:20], code[20:26]))
			continue
		}
		var words []string
		for j := range 13 {
			words = append(words, list[(int(sum[j])*4+j)%len(list)])
		}
		markers = append(markers, strings.Join(words, " "))
	}
	return markers
}

// markerWords is the list that markers are written with.
var markerWords = sync.OnceValue(func() []string {
	text, err := os.ReadFile("../tenants/words-1024.txt")
	if err != nil {
		panic(err)
	}
	return strings.Fields(string(text))
})

func newPrompt(t testing.TB, key Key, spec Spec) *Prompt {
	t.Helper()
	p, err := New(key, spec, testMarkers(spec))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func readAll(t testing.TB, p *Prompt) string {
	t.Helper()
	text, err := io.ReadAll(p.Reader())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
