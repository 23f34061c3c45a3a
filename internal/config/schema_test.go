package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	check "github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSchema makes schema.json from the types and their comments.
func TestSchema(t *testing.T) {
	r := jsonschema.Reflector{FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, ExpandedStruct: true, Anonymous: true}
	if err := r.AddGoComments("crosstalk/internal/config", ".", jsonschema.WithFullComment()); err != nil {
		t.Fatal(err)
	}
	r.CommentMap = keyNames(r.CommentMap)
	r.Mapper = func(rt reflect.Type) *jsonschema.Schema {
		switch rt {
		case reflect.TypeFor[Ref]():
			return &jsonschema.Schema{Type: "string", Pattern: "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$"}
		case reflect.TypeFor[Date]():
			return &jsonschema.Schema{Type: "string", Format: "date"}
		case reflect.TypeFor[Instant]():
			return &jsonschema.Schema{Type: "string", Format: "date-time"}
		}
		return nil
	}
	s := r.Reflect(&Config{})
	s.Title = "crosstalk configuration"
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "schema.json", string(text)+"\n")
}

// keyNames rewrites comments as descriptions: on one line, and with the key of
// the file where the comment begins with the name of the Go field.
func keyNames(comments map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range comments {
		out[name] = strings.Join(strings.Fields(text), " ")
	}
	for _, rt := range types() {
		for _, f := range fields(rt) {
			goName := rt.Field(f.index).Name
			path := rt.PkgPath() + "." + rt.Name() + "." + goName
			if rest, ok := strings.CutPrefix(out[path], goName+" "); ok {
				out[path] = f.name + " " + rest
			}
		}
	}
	return out
}

// types are the structs of the file.
func types() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[Config](), reflect.TypeFor[Target](), reflect.TypeFor[Authorization](), reflect.TypeFor[Pricing](),
		reflect.TypeFor[Tenant](), reflect.TypeFor[Probe](), reflect.TypeFor[Budget](), reflect.TypeFor[Paging](),
		reflect.TypeFor[Notify](), reflect.TypeFor[Heartbeat](), reflect.TypeFor[Silence](), reflect.TypeFor[Preflight](),
		reflect.TypeFor[Evidence](),
	}
}

// beyond are the rules that no schema can hold: those between keys, those about
// the text itself, and those that need a list of names or a clock.
func beyond() []string {
	return []string{
		"anchor", "authorization-expired", "duplicate-index", "duplicate-key", "duplicate-target-name",
		"duplicate-tenant-name", "evidence-bounds", "evidence-identity", "evidence-mixed", "evidence-recipient",
		"family", "header-authorization", "header-break", "header-managed",
		"header-name", "header-reference", "header-secret", "insecure-http", "no-authorization",
		"notify-alertmanager-secret", "notify-no-secret", "notify-twice", "preflight-elsewhere",
		"preflight-key-in-the-clear", "preflight-query", "probe-cold-every",
		"probe-every-and-cron", "probe-size", "probe-timezone", "probe-twice", "proxy-user",
		"shared-credential", "silence", "target-without-tenant", "two-documents", "unknown-target", "url-fragment",
		"url-query", "url-user", "usd-without-price", "window-too-small-for-output",
	}
}

// TestSchemaAgrees holds the schema against files: it accepts every example and
// refuses every invalid file, but for the rules beyond it.
func TestSchemaAgrees(t *testing.T) {
	compiled := compile(t)
	examples, _ := filepath.Glob("../../examples/*.yaml")
	for _, file := range examples {
		if err := validate(t, compiled, file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	invalid, _ := filepath.Glob("testdata/invalid/*.yaml")
	if len(examples) == 0 || len(invalid) == 0 {
		t.Fatal("no files to check")
	}
	var accepted []string
	for _, file := range invalid {
		if validate(t, compiled, file) == nil {
			accepted = append(accepted, strings.TrimSuffix(filepath.Base(file), ".yaml"))
		}
	}
	if diff := cmp.Diff(beyond(), accepted); diff != "" {
		t.Errorf("invalid files the schema accepts (-want +got):\n%s", diff)
	}
}

func compile(t *testing.T) *check.Schema {
	t.Helper()
	doc, err := check.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := check.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate checks a file against the schema. A file that is not YAML is
// refused.
func validate(t *testing.T, s *check.Schema, file string) error {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := yaml.UnmarshalWithOptions(text, &doc, yaml.AllowDuplicateMapKey()); err != nil {
		return err
	}
	data, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	value, err := check.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// TestTags reads every struct tag: a required key has a value for the advice to
// add it, and every default is one of the allowed values.
func TestTags(t *testing.T) {
	for _, rt := range types() {
		for _, f := range fields(rt) {
			if f.required && f.eg == "" {
				t.Errorf("%s.%s is required and has no eg tag", rt.Name(), f.name)
			}
			if len(f.enum) > 0 && f.fallback != "" && !slices.Contains(f.enum, f.fallback) {
				t.Errorf("%s.%s: default %q is not allowed", rt.Name(), f.name, f.fallback)
			}
		}
	}
}
