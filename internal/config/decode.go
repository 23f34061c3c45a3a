package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// decoder fills Go values from YAML nodes and goes on after a problem, so that
// one pass finds them all. It notes where every key stands.
type decoder struct{ *problems }

func (d *decoder) config(root *ast.MappingNode, c *Config) {
	d.mapping(root, "", reflect.ValueOf(c).Elem())
}

// mapping fills a struct. Missing keys are reported at the mapping itself,
// unless a misspelled one explains them.
func (d *decoder) mapping(m *ast.MappingNode, path string, v reflect.Value) {
	keys := fields(v.Type())
	meant := map[string]bool{} // keys that a misspelled one was probably meant for
	for _, entry := range m.Values {
		name, ok := d.key(entry, path)
		if !ok {
			continue
		}
		i := slices.IndexFunc(keys, func(f field) bool { return f.name == name })
		if i < 0 {
			meant[d.unknownKey(entry, path, name, keys)] = true
			continue
		}
		d.value(entry.Value, join(path, name), keys[i], v.Field(keys[i].index))
	}
	for _, f := range keys {
		if f.required && !meant[f.name] && !d.has(join(path, f.name)) {
			d.add(path, fmt.Sprintf("missing key %q", f.name), fmt.Sprintf("add, for example: %s: %s", f.name, f.eg))
		}
	}
}

// key notes where a key stands. It reports false for one that cannot be used.
func (d *decoder) key(entry *ast.MappingValueNode, path string) (name string, ok bool) {
	tk := entry.Key.GetToken()
	if _, isText := entry.Key.(*ast.StringNode); !isText {
		d.addAt(placeOf(tk), path, "a key must be a plain word", "see: crosstalk config schema")
		return "", false
	}
	name = tk.Value
	full := join(path, name)
	if first, dup := d.at[full]; dup {
		d.addAt(placeOf(tk), full, fmt.Sprintf("given twice, first on line %d", first.line), "keep one of the two")
		return "", false
	}
	d.at[full] = placeOf(tk)
	return name, true
}

// unknownKey reports the key and returns the one it was probably meant for.
func (d *decoder) unknownKey(entry *ast.MappingValueNode, path, name string, keys []field) string {
	names := make([]string, len(keys))
	for i, f := range keys {
		names[i] = f.name
	}
	meant := nearest(name, names)
	mend := "remove it; the keys here are " + strings.Join(names, ", ")
	if meant != "" {
		mend = fmt.Sprintf("did you mean %q?", meant)
	}
	d.addAt(placeOf(entry.Key.GetToken()), path, fmt.Sprintf("unknown key %q", name), mend)
	return meant
}

// value fills v, the value of key f at path.
func (d *decoder) value(n ast.Node, path string, f field, v reflect.Value) {
	if _, null := n.(*ast.NullNode); null || n == nil {
		d.add(path, "has no value", "give it one or remove the key")
		return
	}
	switch target := v.Addr().Interface().(type) {
	case *Ref:
		d.reference(n, path, target)
	case *Date:
		d.date(n, path, target)
	case *Instant:
		d.instant(n, path, target)
	default:
		d.kind(n, path, f, v)
	}
}

func (d *decoder) kind(n ast.Node, path string, f field, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, path, f, v.Elem())
	case reflect.Struct:
		if m, ok := n.(*ast.MappingNode); ok {
			d.mapping(m, path, v)
			return
		}
		d.wrongType(n, path, "a mapping of keys to values")
	case reflect.Slice:
		d.list(n, path, f, v)
	case reflect.Map:
		d.texts(n, path, v)
	case reflect.String:
		if s, ok := d.text(n, path, f); ok {
			v.SetString(s)
		}
	case reflect.Bool:
		if b, ok := n.(*ast.BoolNode); ok {
			v.SetBool(b.Value)
			return
		}
		d.wrongType(n, path, "true or false")
	case reflect.Int, reflect.Int64:
		if i, ok := d.whole(n, path, f); ok {
			v.SetInt(i)
		}
	case reflect.Float64:
		if x, ok := d.number(n, path, f); ok {
			v.SetFloat(x)
		}
	}
}

func (d *decoder) list(n ast.Node, path string, f field, v reflect.Value) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.wrongType(n, path, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values)))
	for i, item := range seq.Values {
		at := fmt.Sprintf("%s[%d]", path, i)
		if item != nil {
			d.at[at] = placeOf(start(item))
		}
		d.value(item, at, field{}, v.Index(i))
	}
	if len(seq.Values) < f.minLen {
		d.add(path, "is an empty list", fmt.Sprintf("give it an entry, for example: %s", f.eg))
	}
}

// texts fills a map of texts. Its values may be secrets by mistake, so no
// problem repeats them.
func (d *decoder) texts(n ast.Node, path string, v reflect.Value) {
	m, ok := n.(*ast.MappingNode)
	if !ok {
		d.wrongType(n, path, "a mapping of keys to values")
		return
	}
	out := map[string]string{}
	for _, entry := range m.Values {
		name, ok := d.key(entry, path)
		if !ok {
			continue
		}
		s, ok := entry.Value.(*ast.StringNode)
		if !ok {
			d.add(join(path, name), "must be a text", "put it in quotes")
			continue
		}
		out[name] = s.Value
	}
	v.Set(reflect.ValueOf(out))
}

func (d *decoder) text(n ast.Node, path string, f field) (string, bool) {
	var s string
	switch n := n.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = n.Value.Value
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		s = n.GetToken().Value
		if f.pattern != nil && !f.pattern.MatchString(s) {
			d.badForm(path, s, f)
		} else {
			d.add(path, "must be a text", fmt.Sprintf("put it in quotes: %q", s))
		}
		return "", false
	default:
		d.wrongType(n, path, "a text")
		return "", false
	}
	switch {
	case len(f.enum) > 0 && !slices.Contains(f.enum, s):
		d.notOneOf(path, s, f.enum)
	case len(s) < f.minLen:
		d.add(path, "is empty", "give it a value, for example: "+f.eg)
	case f.maxLen > 0 && len(s) > f.maxLen:
		d.add(path, fmt.Sprintf("is longer than %d characters", f.maxLen), "shorten it")
	case f.pattern != nil && !f.pattern.MatchString(s):
		d.badForm(path, s, f)
	case f.pattern != nil && f.pattern.String() == patternDuration:
		return s, d.duration(path, s, f)
	default:
		return s, true
	}
	return s, false
}

func (d *decoder) notOneOf(path, s string, allowed []string) {
	mend := "use one of " + strings.Join(allowed, ", ")
	if meant := nearest(s, allowed); meant != "" {
		mend = fmt.Sprintf("did you mean %q?", meant)
	} else if len(allowed) == 1 {
		mend = "use " + allowed[0]
	}
	d.add(path, fmt.Sprintf("unknown %s %q", lastKey(path), s), mend)
}

func (d *decoder) whole(n ast.Node, path string, f field) (int64, bool) {
	in, ok := n.(*ast.IntegerNode)
	if !ok {
		d.wrongType(n, path, "a whole number")
		return 0, false
	}
	var i int64
	switch x := in.Value.(type) {
	case int64:
		i = x
	case uint64:
		if x > 1<<62 {
			d.add(path, "is too large a number", "")
			return 0, false
		}
		i = int64(x)
	}
	if len(f.enum) > 0 && !slices.Contains(f.enum, strconv.FormatInt(i, 10)) {
		d.add(path, fmt.Sprintf("%d is not supported", i), "use "+strings.Join(f.enum, ", "))
		return 0, false
	}
	return i, d.inBounds(float64(i), path, f)
}

func (d *decoder) number(n ast.Node, path string, f field) (float64, bool) {
	var x float64
	switch n := n.(type) {
	case *ast.IntegerNode:
		i, ok := d.whole(n, path, f)
		return float64(i), ok
	case *ast.FloatNode:
		x = n.Value
	default:
		d.wrongType(n, path, "a number")
		return 0, false
	}
	return x, d.inBounds(x, path, f)
}

func (d *decoder) inBounds(x float64, path string, f field) bool {
	show := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	switch {
	case f.minimum != nil && x < *f.minimum:
		d.add(path, fmt.Sprintf("%s is too small", show(x)), "use at least "+show(*f.minimum))
	case f.above != nil && x <= *f.above:
		d.add(path, fmt.Sprintf("%s is too small", show(x)), "use more than "+show(*f.above)+", or remove the key for no cap")
	case f.maximum != nil && x > *f.maximum:
		d.add(path, fmt.Sprintf("%s is too large", show(x)), "use at most "+show(*f.maximum))
	default:
		return true
	}
	return false
}

// reference fills a Ref. Nothing it reports repeats the value, which may be the
// secret itself.
func (d *decoder) reference(n ast.Node, path string, ref *Ref) {
	s, ok := n.(*ast.StringNode)
	if !ok || !Ref(s.Value).valid() {
		d.add(path, "is not a reference to a secret (its value is not repeated here)",
			"put the secret in an environment variable or a file and write env:NAME or file:PATH")
		return
	}
	*ref = Ref(s.Value)
}

func (d *decoder) date(n ast.Node, path string, date *Date) {
	s, ok := n.(*ast.StringNode)
	if ok {
		if t, err := time.Parse(time.DateOnly, s.Value); err == nil {
			date.Time = t
			return
		}
	}
	d.add(path, shown(n.GetToken().Value)+"is not a day", "write it as YYYY-MM-DD, for example: 2027-06-30")
}

func (d *decoder) instant(n ast.Node, path string, at *Instant) {
	s, ok := n.(*ast.StringNode)
	if ok {
		if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
			at.Time = t
			return
		}
	}
	d.add(path, shown(n.GetToken().Value)+"is not a point in time", "write it with its offset from UTC, for example: 2027-03-01T22:00:00Z")
}

func (d *decoder) wrongType(n ast.Node, path, want string) {
	got := map[ast.NodeType]string{
		ast.MappingType: "a mapping", ast.MappingValueType: "a mapping", ast.SequenceType: "a list",
		ast.StringType: "a text", ast.LiteralType: "a text", ast.BoolType: "true or false",
		ast.IntegerType: "a whole number", ast.FloatType: "a number",
	}[n.Type()]
	if text, ok := n.(*ast.StringNode); ok && shown(text.Value) != "" && want != "a list" && want != "a mapping of keys to values" {
		got = fmt.Sprintf("the text %q", text.Value)
	}
	mend := map[string]string{
		"a mapping of keys to values": "write it like: {key: value, key: value}",
		"a list":                      "put it in brackets: [first, second]",
		"a text":                      "write one value",
		"true or false":               "write true or false",
		"a whole number":              "write digits only: no quotes, unit or fraction",
		"a number":                    "write digits only: no quotes or unit",
	}[want]
	d.add(path, fmt.Sprintf("must be %s, is %s", want, cmp.Or(got, "something else")), mend)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func lastKey(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }
