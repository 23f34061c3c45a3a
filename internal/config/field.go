package config

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// field is what the struct tags say about one key: yaml has its name,
// jsonschema its bounds (those the schema is made of), eg a value for the advice
// to add it.
type field struct {
	name     string
	index    int // in the struct
	eg       string
	required bool
	enum     []string
	pattern  *regexp.Regexp
	fallback string   // default, "" if there is none
	minimum  *float64 // of a number
	above    *float64 // exclusive minimum of a number
	maximum  *float64
	minLen   int // of a text in bytes, of a list in entries
	maxLen   int // of a text; 0: any
}

// fields returns the keys of a struct type in order of declaration.
func fields(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		sf := t.Field(i)
		name, _, _ := strings.Cut(sf.Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		f := field{name: name, index: i, eg: sf.Tag.Get("eg")}
		for rule := range strings.SplitSeq(sf.Tag.Get("jsonschema"), ",") {
			f.apply(rule)
		}
		out = append(out, f)
	}
	return out
}

func (f *field) apply(rule string) {
	key, value, _ := strings.Cut(rule, "=")
	switch key {
	case "required":
		f.required = true
	case "enum":
		f.enum = append(f.enum, value)
	case "pattern":
		f.pattern = regexp.MustCompile(value) // a constant of this package
	case "default":
		f.fallback = value
	case "minimum":
		f.minimum = number(value)
	case "exclusiveMinimum":
		f.above = number(value)
	case "maximum":
		f.maximum = number(value)
	case "minItems", "minLength":
		f.minLen, _ = strconv.Atoi(value)
	case "maxLength":
		f.maxLen, _ = strconv.Atoi(value)
	}
}

func number(s string) *float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return &v
}
