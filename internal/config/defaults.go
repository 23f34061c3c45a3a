package config

import (
	"reflect"
	"slices"
	"strconv"
)

// DefaultPlan is the plan of a one-shot run whose configuration has no probes:
// each kind with the rounds it has when a line gives none.
func DefaultPlan() []Probe {
	return []Probe{
		{Kind: "pulse", Rounds: 20},
		{Kind: "burst", Rounds: 3},
		{Kind: "seedwatch", Rounds: 2},
		{Kind: "top", Rounds: 2},
		{Kind: "overlength", Rounds: 1},
	}
}

// setDefaults gives every key that the file leaves out the value that its
// struct tag, the default plan or another key stands for.
func (c *Config) setDefaults() {
	fill(reflect.ValueOf(c).Elem(), "", c.given)
	if len(c.Probes) == 0 {
		c.Probes = DefaultPlan()
	}
	for i := range c.Probes {
		p := &c.Probes[i]
		usual := slices.IndexFunc(DefaultPlan(), func(q Probe) bool { return q.Kind == p.Kind })
		if p.Rounds == 0 && usual >= 0 {
			p.Rounds = DefaultPlan()[usual].Rounds
		}
	}
	for i := range c.Targets {
		p := c.Targets[i].Pricing
		if p != nil && !c.gives(indexed("targets", i)+".pricing.cached_input") {
			p.CachedInput = p.Input
		}
	}
}

// gives reports whether the file itself has the key.
func (c *Config) gives(path string) bool {
	_, ok := c.given[path]
	return ok
}

// fill sets the keys of a struct, and of the structs in it, that the file does
// not give.
func fill(v reflect.Value, path string, given map[string]position) {
	for _, f := range fields(v.Type()) {
		field, at := v.Field(f.index), join(path, f.name)
		if _, ok := given[at]; !ok && f.fallback != "" {
			setText(field, f.fallback)
		}
		switch field.Kind() {
		case reflect.Struct:
			if !isTime(field.Type()) {
				fill(field, at, given)
			}
		case reflect.Slice:
			for i := range field.Len() {
				if e := field.Index(i); e.Kind() == reflect.Struct {
					fill(e, indexed(at, i), given)
				}
			}
		}
	}
}

// isTime reports whether a type is a struct that the file writes as one value.
func isTime(t reflect.Type) bool {
	return t == reflect.TypeFor[Date]() || t == reflect.TypeFor[Instant]()
}

// setText sets a field to the value its tag writes as text. The tags are
// constants of this package, and a test reads all of them.
func setText(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(text == "true")
	case reflect.Int, reflect.Int64:
		n, _ := strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
	case reflect.Float64:
		x, _ := strconv.ParseFloat(text, 64)
		v.SetFloat(x)
	}
}

func indexed(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
