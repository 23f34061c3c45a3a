package config

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// The patterns of the file's texts, as the struct tags have them.
const (
	patternName     = `^[a-z0-9][a-z0-9._-]*$`
	patternDuration = `^([0-9]+(ms|s|m|h))+$`
	patternHTTP     = `^https?://`
	patternReceiver = `^(https?://|env:|file:)`
	patternHeader   = `^[A-Za-z0-9-]+$`
	patternStore    = `^sqlite:.+`
)

// badForm reports a text that does not match the pattern of its key: what it
// is not, in words, and what to write instead. A text that may be a secret is
// not repeated.
func (d *decoder) badForm(path, s string, f field) {
	var is, write string
	switch f.pattern.String() {
	case patternName:
		is, write = "is not a short name", "use lower case letters, digits, dot, dash and underscore"
	case patternDuration:
		is, write = "is not a length of time", "write whole numbers with ms, s, m or h"
	case patternHTTP:
		is, write = "does not begin with http:// or https://", "write the whole address"
	case patternReceiver:
		s, is, write = "", "is neither an address nor a reference (its value is not repeated here)", "write an address, or env:NAME or file:PATH where it is secret"
	case patternHeader:
		s, is, write = "", "is not the name of a header", "use letters, digits and dashes"
	case patternStore:
		is, write = "is not a store", "write sqlite: and the path of a file"
	default:
		is, write = "does not have the form of a "+lastKey(path), "write it differently"
	}
	d.add(path, shown(s)+is, fmt.Sprintf("%s, for example: %s", write, cmp.Or(f.eg, f.fallback)))
}

// shown is a text in quotes, to begin a message with; "" for one that is long
// or may hold a secret: a password or a query in an address, a key pasted into
// the wrong line.
func shown(s string) string {
	likeKey := len(s) > 20 && !strings.ContainsAny(s, " ./")
	if s == "" || len(s) > 60 || likeKey || strings.ContainsAny(s, "@?#\r\n") {
		return ""
	}
	return fmt.Sprintf("%q ", s)
}

// duration reports whether a text that has the form of a duration can be used
// as one: a key that is there asks for some time, and it can be counted.
func (d *decoder) duration(path, s string, f field) bool {
	switch t, err := time.ParseDuration(s); {
	case err != nil:
		d.add(path, shown(s)+"is longer than 292 years", "check the unit: ms, s, m or h")
	case t == 0:
		d.add(path, shown(s)+"is no time at all", "write a longer one, for example: "+cmp.Or(f.eg, f.fallback)+", or remove the key")
	default:
		return true
	}
	return false
}
