package checks

import "fmt"

// Class is what a finding, an exchange or a run amounts to. The zero value is
// Inconclusive: a check that forgets to decide cannot pass.
type Class uint8

const (
	Inconclusive Class = iota // could not tell
	Sound                     // the known answer, whole
	Degraded                  // rates, drift, sharing signs
	Damaged                   // wrong, or whole parts lost, or the protocol lies
	Foreign                   // no contact with our prompt: possible disclosure
	Leak                      // proved to be from another tenant's prompt
)

// Worse reports whether c is worse than d in the order leak, foreign, damaged,
// inconclusive, degraded, sound.
func (c Class) Worse(d Class) bool { return c.severity() > d.severity() }

func (c Class) severity() int {
	switch c {
	case Leak:
		return 5
	case Foreign:
		return 4
	case Damaged:
		return 3
	case Degraded:
		return 1
	case Sound:
		return 0
	default:
		return 2 // inconclusive, and whatever is not a class
	}
}

// Classes returns every class, worst first.
func Classes() []Class {
	return []Class{Leak, Foreign, Damaged, Inconclusive, Degraded, Sound}
}

// String is the name of the class as reports and metrics show it.
func (c Class) String() string {
	switch c {
	case Leak:
		return "leak"
	case Foreign:
		return "foreign"
	case Damaged:
		return "damaged"
	case Degraded:
		return "degraded"
	case Sound:
		return "sound"
	default:
		return "inconclusive"
	}
}

// MarshalText writes the name of the class, in JSON too.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name of a class.
func (c *Class) UnmarshalText(text []byte) error {
	for _, k := range Classes() {
		if k.String() == string(text) {
			*c = k
			return nil
		}
	}
	return fmt.Errorf("class %q: want one of leak, foreign, damaged, inconclusive, degraded, sound", text)
}
