package corpus

import (
	"errors"
	"fmt"
)

// Version is the version of the lexicons and of the grammar that turns a key
// and a Spec into bytes. Published data is never edited: a change is a new
// version, and the old one stays readable.
const Version = 1

const (
	// MaxPages is the largest number of pages in a prompt: a locator has
	// 15 bits for the page number.
	MaxPages = 1 << 15
	// MaxSeals is the largest number of markers in a prompt: a marker has
	// 4 bits for its index.
	MaxSeals = 16
)

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
	// NoLocators leaves the locator sentences out of the filler. An ordinary
	// sentence stands in the place of each; all others stay as they are.
	NoLocators bool `json:"no_locators,omitempty"`
	// Facts counts the named facts, 0 to MaxFacts: lines that survive
	// translation, see Fact.
	Facts int `json:"facts,omitempty"`
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

// Validate reports everything that keeps s from being a prompt. Its errors wrap
// ErrSpec.
func (s Spec) Validate() error {
	f, err := familyOf(s)
	if err != nil {
		return err
	}
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%w: "+format, append([]any{ErrSpec}, args...)...))
	}
	s.validateTask(bad)
	s.validateLength(f.pageSentences, bad)
	return errors.Join(problems...)
}

// validateTask checks what is asked.
func (s Spec) validateTask(bad func(string, ...any)) {
	if s.Dress != DressWords && s.Dress != DressCode {
		bad("dress %q: want %q or %q", s.Dress, DressWords, DressCode)
	}
	if s.Seals < 1 || s.Seals > MaxSeals {
		bad("seals %d: want 1 to %d", s.Seals, MaxSeals)
	}
	if s.Facts < 0 || s.Facts > MaxFacts {
		bad("facts %d: want 0 to %d", s.Facts, MaxFacts)
	}
	if s.Ask < 0 || s.Ask > s.Seals {
		bad("ask %d: want 0 for all seals in order, or the number of one of the %d seals", s.Ask, s.Seals)
	}
	switch s.Task {
	case TaskSeals:
	case TaskEcho:
		if s.Seals > 1 {
			bad("seals %d: the %q task has exactly 1", s.Seals, TaskEcho)
		}
		if s.Ask != 0 {
			bad("ask %d: the %q task has no number to ask for, leave it 0", s.Ask, TaskEcho)
		}
	default:
		bad("task %q: want %q or %q", s.Task, TaskSeals, TaskEcho)
	}
}

// validateLength checks the numbers of sentences against the size of a page.
func (s Spec) validateLength(page int, bad func(string, ...any)) {
	if most := MaxPages * page; s.Sentences > most {
		bad("sentences %d: at most %d, which are %d pages", s.Sentences, most, MaxPages)
	}
	if s.Prefix == nil {
		if s.Sentences < 1 {
			bad("sentences %d: want at least 1", s.Sentences)
		}
		return
	}
	switch shared := s.Prefix.Sentences; {
	case shared < 1 || shared%page != 0:
		bad("prefix of %d sentences: want whole pages, a multiple of %d", shared, page)
	case s.Sentences <= shared:
		bad("sentences %d: want more than the %d of the shared prefix, which they include", s.Sentences, shared)
	}
}

// shared is the number of sentences that the prompt has from its prefix.
func (s Spec) shared() int {
	if s.Prefix == nil {
		return 0
	}
	return s.Prefix.Sentences
}
