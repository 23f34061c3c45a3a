package corpus

import (
	"encoding/binary"
	"strconv"
	"strings"
)

// question is the wording that asks. It is the same for every tenant and does
// not say how many seals there are, so that a foreign seal in the context is
// answered too.
func question(spec Spec) string {
	if spec.Task == TaskEcho {
		// No digits, capitals or hyphens that could be taken for the code.
		return "What is the code in the text above? Reply with the code only, exactly as it is written there."
	}
	var b strings.Builder
	noun := "words"
	if spec.Dress == DressCode {
		noun = "code"
	}
	b.WriteString("The text above has lines that begin with the word seal, a number and a colon. ")
	if spec.Ask > 0 {
		n := strconv.Itoa(spec.Ask)
		b.WriteString("List seal " + n + " first, then all other seals in order of their number")
	} else {
		b.WriteString("List all seals in order of their number")
	}
	b.WriteString(", one per line, as `n: " + noun + "`, where n is the number of the seal and " + noun)
	if spec.Dress == DressCode {
		b.WriteString(" is its code, copied exactly.")
	} else {
		b.WriteString(" are its words, copied exactly.")
	}
	b.WriteString(" Write nothing else.")
	return b.String()
}

// expected is the one right answer to question.
func expected(spec Spec, markers []string) string {
	if spec.Task == TaskEcho {
		return markers[0]
	}
	line := func(number int) string {
		return strconv.Itoa(number) + ": " + markers[number-1]
	}
	var lines []string
	if spec.Ask > 0 {
		lines = append(lines, line(spec.Ask))
	}
	for number := range len(markers) + 1 {
		if number > 0 && number != spec.Ask {
			lines = append(lines, line(number))
		}
	}
	return strings.Join(lines, "\n")
}

// sealPlaces says before how many sentences each seal stands. The first stands
// before all of the prompt's own sentences and the last behind them; those
// between are evenly spread, each moved by up to a fifth of the distance to its
// neighbours: where exactly depends on the key. The one code of an echo prompt
// may stand anywhere.
func sealPlaces(key Key, spec Spec) []int {
	sub := key.derive("places")
	shared := spec.shared()
	own := uint64(spec.Sentences - shared)
	places := make([]int, spec.Seals)
	for i := range places {
		sum := numbered(sub, i)
		places[i] = shared + int(sealPlace(spec, uint64(i), own, uint64(binary.BigEndian.Uint32(sum[:]))))
	}
	return places
}

// sealPlace is the place of seal i among own sentences; random is 32 bits. It
// is in integers, since floating point may differ in the last bit from one
// platform to the next. 58 bits are enough.
func sealPlace(spec Spec, i, own, random uint64) uint64 {
	last := uint64(spec.Seals - 1)
	switch {
	case spec.Task == TaskEcho:
		return random * (own + 1) >> 32
	case i == 0:
		return 0
	case i == last:
		return own
	}
	// own * (i + (2*random-1)/5) / last, rounded, with random as a fraction.
	fifths := (5*i-1)<<32 + 2*random
	whole := 5 * last << 32
	return (own*fifths + whole/2) / whole
}

// factPlaces says before how many sentences each fact stands: in the middle of
// equal parts of the prompt's own sentences, so between the seals.
func factPlaces(spec Spec) []int {
	shared := spec.shared()
	own := spec.Sentences - shared
	places := make([]int, spec.Facts)
	for i := range places {
		places[i] = shared + own*(2*i+1)/(2*spec.Facts)
	}
	return places
}
