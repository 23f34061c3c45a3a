package corpus

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Family describes a filler family.
type Family struct {
	Name          string
	PageSentences int     // filler sentences in a page, the locator included
	MeanBytes     float64 // mean bytes of a sentence, separators included
	Deviation     float64 // standard deviation of the bytes of a sentence
}

// Families returns the filler families in order of their name.
func Families() []Family {
	var list []Family
	for _, f := range library()[Version] {
		list = append(list, f.describe())
	}
	slices.SortFunc(list, func(a, b Family) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// LookupFamily returns the family of that name.
func LookupFamily(name string) (Family, bool) {
	f, ok := library()[Version][name]
	if !ok {
		return Family{}, false
	}
	return f.describe(), true
}

// family is one filler family of one version, as read from its data.
type family struct {
	name          string
	pageSentences int
	sentences     []sentence
	locator       *wording
	ascii         bool // all of its wording and words
	// longest is the most a page can have, in bytes.
	longest int
	// mean and variance of the size of an ordinary sentence, and the mean
	// size of a locator, in bytes.
	mean, variance, locatorMean float64
	// familiar is what its words can be, collected when first asked for.
	familiar func() familiar
}

func (f *family) describe() Family {
	n := float64(f.pageSentences)
	mean := ((n-1)*f.mean + f.locatorMean) / n
	return Family{f.name, f.pageSentences, mean, math.Sqrt(f.variance)}
}

// familyOf returns the family that s names.
func familyOf(s Spec) (*family, error) {
	families, ok := library()[s.Version]
	if !ok {
		return nil, fmt.Errorf("%w: version %d is unknown to this build, want %d", ErrSpec, s.Version, Version)
	}
	f, ok := families[s.Family]
	if !ok {
		return nil, fmt.Errorf("%w: no filler family %q, want one of %s", ErrSpec, s.Family, familyNames())
	}
	return f, nil
}

func familyNames() string {
	var names []string
	for _, f := range Families() {
		names = append(names, strconv.Quote(f.Name))
	}
	return strings.Join(names, ", ")
}

//go:embed data
var data embed.FS

// library is every published family by version and name. It is read from the
// embedded data when first needed; the tests prove that it can be.
var library = sync.OnceValue(func() map[int]map[string]*family {
	lib, err := readLibrary(data)
	if err != nil {
		panic("corpus: embedded " + err.Error())
	}
	return lib
})

// readLibrary reads data/v<version>/<family>.family for every version and
// family, with the lexicons that stand beside them.
func readLibrary(files fs.FS) (map[int]map[string]*family, error) {
	names, err := fs.Glob(files, "data/v*/*.family")
	if err != nil {
		return nil, err
	}
	lib := make(map[int]map[string]*family)
	for _, name := range names {
		version, err := strconv.Atoi(strings.TrimPrefix(path.Dir(name), "data/v"))
		if err != nil {
			return nil, fmt.Errorf("%s: its folder is not named v<version>: %w", name, err)
		}
		f, err := readFamily(files, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if lib[version] == nil {
			lib[version] = make(map[string]*family)
		}
		lib[version][f.name] = f
	}
	return lib, nil
}

// readFamily reads one family file: the directives "lexicon <name>" and "page
// <sentences>", then "[sentence]" with one template a line, and "[locator]"
// with one.
func readFamily(files fs.FS, name string) (*family, error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	f := &family{name: strings.TrimSuffix(path.Base(name), ".family")}
	var lex lexicon
	var section string
	for number, line := range numberedLines(string(text)) {
		if s, ok := sectionName(line); ok {
			section = s
			continue
		}
		switch section {
		case "":
			lex, err = f.directive(files, path.Dir(name), line, lex)
		case "sentence":
			var s sentence
			s, err = parseSentence(line, lex)
			f.sentences = append(f.sentences, s)
		case "locator":
			f.locator, err = parseWording(line, lex)
		default:
			err = fmt.Errorf("section %q: want \"sentence\" or \"locator\"", section)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if f.pageSentences < 2 || len(f.sentences) == 0 || f.locator == nil {
		return nil, fmt.Errorf("want a page of at least 2 sentences, a [sentence] and a [locator]")
	}
	f.measureTemplates()
	f.ascii = f.isASCII()
	f.familiar = sync.OnceValue(f.readFamiliar)
	return f, nil
}

// isASCII reports whether all that the family writes is ASCII.
func (f *family) isASCII() bool {
	wide := func(c *chunk) bool {
		return strings.ContainsFunc(c.String(), func(r rune) bool { return r >= utf8.RuneSelf })
	}
	for _, s := range append([]sentence{f.locator.sentence}, f.sentences...) {
		if wide(&s.head) {
			return false
		}
		for i := range s.slots {
			slot := &s.slots[i]
			if wide(&slot.tail) || slices.ContainsFunc(slot.words.chunks, func(c chunk) bool { return wide(&c) }) {
				return false
			}
		}
	}
	return true
}

// directive reads a line before the first section.
func (f *family) directive(files fs.FS, dir, line string, lex lexicon) (lexicon, error) {
	key, value, _ := strings.Cut(line, " ")
	switch key {
	case "page":
		n, err := strconv.Atoi(value)
		f.pageSentences = n
		return lex, err
	case "lexicon":
		text, err := fs.ReadFile(files, path.Join(dir, value+".lexicon"))
		if err != nil {
			return nil, err
		}
		lex, err := parseLexicon(string(text))
		if err != nil {
			return nil, fmt.Errorf("lexicon %s: %w", value, err)
		}
		return lex, nil
	}
	return nil, fmt.Errorf("directive %q: want \"lexicon\" or \"page\"", key)
}

// measureTemplates finds the sizes that sentences of the family can have.
func (f *family) measureTemplates() {
	var sum, squares float64
	for i := range f.sentences {
		mean, variance, longest := f.sentences[i].stats()
		sum += mean
		squares += variance + mean*mean
		f.longest = max(f.longest, longest)
	}
	n := float64(len(f.sentences))
	f.mean = sum / n
	f.variance = squares/n - f.mean*f.mean
	mean, _, longest := f.locator.sentence.stats()
	f.locatorMean = mean
	f.longest = max(f.longest, longest) * f.pageSentences
	f.variance = math.Max(f.variance, 0)
}
