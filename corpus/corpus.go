package corpus

import (
	"errors"
	"io"
)

// Version is the version of the lexicons and of the grammar that turns a key
// and a Spec into bytes. Published data is never edited: a change is a new
// version, and the old one stays readable.
const Version = 1

const (
	// KeySize is the size of a prompt key in bytes.
	KeySize = 32
	// MaxPages is the largest number of pages in a prompt: a locator has
	// 15 bits for the page number.
	MaxPages = 1 << 15
	// MaxSeals is the largest number of markers in a prompt: a marker has
	// 4 bits for its index.
	MaxSeals = 16
)

// Key is a prompt key. With a Spec it determines every byte of a prompt.
type Key [KeySize]byte

// Task is what the prompt asks for.
type Task string

const (
	// TaskSeals asks for every seal phrase of the document, one a line as
	// "n: words".
	TaskSeals Task = "seals"
	// TaskEcho asks for the one code in the document, alone.
	TaskEcho Task = "echo"
)

// Dress is how markers are written in a prompt. The corpus only carries it;
// package tenants gives it meaning.
type Dress string

const (
	// DressWords writes a marker as 13 words.
	DressWords Dress = "words"
	// DressCode writes a marker as one hyphenated base32 word.
	DressCode Dress = "code"
)

// Spec is what a prompt is. It is small, is stored with every exchange, and
// gives the same bytes for the same key on every platform for ever.
type Spec struct {
	Version int    `json:"version"`
	Family  string `json:"family"` // name of a filler family, see Families
	Task    Task   `json:"task"`
	Dress   Dress  `json:"dress"`
	// Sentences counts the filler sentences of the prompt, shared prefix
	// included. A page holds a fixed number of them; the last may be partial.
	Sentences int `json:"sentences"`
	// Seals counts the markers, 1 to MaxSeals; exactly 1 for TaskEcho.
	Seals int `json:"seals"`
	// Ask is the number (from 1) of the seal asked for first; 0 asks for
	// them in order.
	Ask int `json:"ask,omitempty"`
	// NoLocators leaves the locator sentences out of the filler.
	NoLocators bool `json:"no_locators,omitempty"`
	// Prefix, if not nil, is filler shared with other prompts; the prompt
	// is then warm: it begins with the prefix, and its first seal follows
	// it. Without a prefix a prompt is cold and begins with a seal.
	Prefix *Prefix `json:"prefix,omitempty"`
}

// Prefix is a shared beginning of several prompts. Its pages are made from its
// own key.
type Prefix struct {
	Key       Key `json:"key"`       // hex in JSON
	Sentences int `json:"sentences"` // a multiple of the family's page size
}

// ErrSpec is wrapped by every error about a Spec that cannot be a prompt.
var ErrSpec = errors.New("invalid prompt spec")

// Prompt is one prompt, held as its key and spec and made anew on each read.
type Prompt struct{}

// New returns the prompt of key and spec with the given markers, one per seal
// in order of their number. It makes a pass over the filler to learn its size.
func New(key Key, spec Spec, markers []string) (*Prompt, error) { panic("corpus") }

// Marker is a marker in its place.
type Marker struct {
	Number int    // from 1
	Text   string // as written in the prompt
	Offset int64  // of Text in the prompt, bytes
	Depth  float64
}

// Spec returns the spec of the prompt.
func (p *Prompt) Spec() Spec { panic("corpus") }

// Size is the exact size of the prompt in bytes of UTF-8.
func (p *Prompt) Size() int64 { panic("corpus") }

// Reader returns a new reader of the whole prompt. Readers are independent of
// each other and hold at most one page.
func (p *Prompt) Reader() io.Reader { panic("corpus") }

// Task is what the prompt asks for.
func (p *Prompt) Task() Task { panic("corpus") }

// Question is the last part of the prompt, the part that asks.
func (p *Prompt) Question() string { panic("corpus") }

// Expected is the one right answer.
func (p *Prompt) Expected() string { panic("corpus") }

// Markers returns the markers in order of their number.
func (p *Prompt) Markers() []Marker { panic("corpus") }

// Span is a passage of a text that is also in a prompt.
type Span struct {
	Start, End int   // byte offsets into the text
	Offset     int64 // byte offset of the passage in the prompt
	Words      int   // length in words
}

// Match returns the maximal passages of text, of at least min folded words,
// that stand in the prompt outside its question and its marker lines, in order
// of Start. It reads at most budget pages (0: all) and reports how many it
// read; it stops early when every word of text is matched.
func (p *Prompt) Match(text string, min, budget int) (spans []Span, pages int) { panic("corpus") }

// MatchPages is Match confined to pages [from, to): used when a locator has
// named the page.
func (p *Prompt) MatchPages(text string, min, from, to int) []Span { panic("corpus") }

// Locator is a locator sentence found in a text. It names candidates and
// proves nothing.
type Locator struct {
	Request    uint16 // request hash: Key.Hash of the prompt it came from
	Page       int    // page number in that prompt
	Check      uint16 // 9 keyed check bits
	Start, End int    // byte offsets into the text
}

// FindLocators finds the locator sentences of every family in text. The text
// may be re-wrapped or re-cased.
func FindLocators(text string) []Locator { panic("corpus") }

// Hash is the request hash that the locators of prompts with this key carry.
func (k Key) Hash() uint16 { panic("corpus") }

// Verify reports whether the check bits of l belong to this key and page: true
// by chance with probability 2^-9.
func (k Key) Verify(l Locator) bool { panic("corpus") }

// Family describes a filler family.
type Family struct {
	Name          string
	PageSentences int     // filler sentences in a page, the locator included
	MeanBytes     float64 // mean bytes of a sentence, separators included
}

// Families returns the filler families in order of their name.
func Families() []Family { panic("corpus") }

// LookupFamily returns the family of that name.
func LookupFamily(name string) (Family, bool) { panic("corpus") }

// Text is a prompt known only as text, with the right answer where it is
// known: what inspect has of a recorded exchange. It answers the same
// questions as Prompt.
type Text struct {
	Prompt string // may be empty
	Answer string // "" when not known
	Kind   Task   // "" when not known
}

// Expected is the right answer, "" when it is not known.
func (t Text) Expected() string { return t.Answer }
