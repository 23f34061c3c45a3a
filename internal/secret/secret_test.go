package secret_test

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"text/template"

	"github.com/goccy/go-yaml"

	"crosstalk/internal/secret"
)

const plain = `pa55/wörd"&<key>=42`

type config struct {
	Key  secret.Value
	Ptr  *secret.Value
	List []secret.Value
	Map  map[string]secret.Value
	Any  any
	hide secret.Value // fmt cannot call its methods
	deep struct{ v *secret.Value }
}

type embedded struct{ secret.Value }

// holders are the shapes in which a secret may reach a printer.
func holders() map[string]any {
	v := secret.New(plain)
	c := config{
		Key: v, Ptr: &v, List: []secret.Value{v}, Any: v, hide: v,
		Map: map[string]secret.Value{"k": v},
	}
	c.deep.v = &v
	return map[string]any{
		"value": v, "pointer": &v, "struct": c, "pointer to struct": &c,
		"slice": []secret.Value{v}, "array": [1]*secret.Value{&v},
		"map": map[string]any{"k": v}, "map key": map[secret.Value]int{v: 1},
		"embedded": embedded{v}, "interface": []any{v, &v},
	}
}

// leaks reports whether out holds the secret in any readable form.
func leaks(out string) bool {
	if strings.Contains(out, "pa55") {
		return true
	}
	return out != secret.Redact(out, secret.New(plain))
}

func TestFmtPrintsNothing(t *testing.T) {
	for name, v := range holders() {
		for _, verb := range "vsqxXdobcUeEfFgGtpT" {
			for _, flag := range []string{"", "+", "#", "-10", "010.3", " ", "+#"} {
				format := "%" + flag + string(verb)
				if out := fmt.Sprintf(format, v); leaks(out) {
					t.Errorf("%s of %s prints %q", format, name, out)
				}
			}
		}
		if out := fmt.Sprint(v) + fmt.Sprintln(v); leaks(out) {
			t.Errorf("Print of %s prints %q", name, out)
		}
		if err := fmt.Errorf("dial: %w: %v", errors.New("refused"), v); leaks(err.Error()) {
			t.Errorf("error with %s prints %q", name, err)
		}
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(format, secret.New(plain)); got != secret.Placeholder {
			t.Errorf("%s prints %q, want %q", format, got, secret.Placeholder)
		}
	}
}

func TestEncodersWriteNothing(t *testing.T) {
	encoders := map[string]func(any) ([]byte, error){
		"json": json.Marshal,
		"xml":  func(v any) ([]byte, error) { return xml.Marshal(v) },
		"yaml": func(v any) ([]byte, error) { return yaml.Marshal(v) },
		"gob": func(v any) ([]byte, error) {
			var b bytes.Buffer
			err := gob.NewEncoder(&b).Encode(v)
			return b.Bytes(), err
		},
		"template": func(v any) ([]byte, error) {
			var b bytes.Buffer
			err := template.Must(template.New("").Parse(`{{.}} {{printf "%s %#v" . .}}`)).Execute(&b, v)
			return b.Bytes(), err
		},
		"slog text": func(v any) ([]byte, error) {
			var b bytes.Buffer
			slog.New(slog.NewTextHandler(&b, nil)).Info("x", "v", v)
			return b.Bytes(), nil
		},
		"slog json": func(v any) ([]byte, error) {
			var b bytes.Buffer
			slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "v", v, slog.Group("g", "v", v))
			return b.Bytes(), nil
		},
	}
	for encoder, encode := range encoders {
		for name, v := range holders() {
			out, err := encode(v)
			if leaks(string(out)) {
				t.Errorf("%s of %s writes %q", encoder, name, out)
			}
			if err != nil && leaks(err.Error()) {
				t.Errorf("%s of %s fails with %q", encoder, name, err)
			}
		}
	}
}

func TestEncodedForm(t *testing.T) {
	v := struct {
		Key secret.Value `json:"key" yaml:"key"`
	}{secret.New(plain)}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), `{"key":"<secret>"}`+"\n"; got != want {
		t.Errorf("JSON is %q, want %q", got, want)
	}
	out, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(out), "key: <secret>\n"; got != want {
		t.Errorf("YAML is %q, want %q", got, want)
	}
	text, err := v.Key.AppendText([]byte("key="))
	if got, want := string(text), "key=<secret>"; err != nil || got != want {
		t.Errorf("AppendText gives %q, %v, want %q", got, err, want)
	}
	if got := v.Key.String(); got != secret.Placeholder {
		t.Errorf("String is %q", got)
	}
}

func TestReveal(t *testing.T) {
	if got := secret.New(plain).Reveal(); got != plain {
		t.Errorf("Reveal gives %q, want %q", got, plain)
	}
	var zero secret.Value
	if got := zero.Reveal(); got != "" || !zero.IsEmpty() {
		t.Errorf("the zero Value reveals %q", got)
	}
	if got := fmt.Sprint(zero); got != secret.Placeholder {
		t.Errorf("the zero Value prints %q", got)
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b secret.Value
		want bool
	}{
		{secret.New("a"), secret.New("a"), true},
		{secret.New("a"), secret.New("b"), false},
		{secret.New("a"), secret.New("aa"), false},
		{secret.New(""), secret.Value{}, true},
		{secret.New("a"), secret.Value{}, false},
	}
	for _, tt := range tests {
		if got := tt.a.Equal(tt.b); got != tt.want {
			t.Errorf("Equal(%q, %q) = %v", tt.a.Reveal(), tt.b.Reveal(), got)
		}
	}
}

func TestRedact(t *testing.T) {
	v := secret.New(plain)
	inJSON, _ := json.Marshal(plain)
	tests := []struct{ name, text, want string }{
		{"plain", "key " + plain + " refused", "key <secret> refused"},
		{"twice", plain + "," + plain, "<secret>,<secret>"},
		{"query", "https://h/p?k=" + url.QueryEscape(plain) + "&x=1", "https://h/p?k=<secret>&x=1"},
		{"path", "https://h/" + url.PathEscape(plain), "https://h/<secret>"},
		{"user info", url.UserPassword("me", plain).String(), "me:<secret>"},
		{"json", string(inJSON), `"<secret>"`},
		{"base64", "Basic " + base64.RawStdEncoding.EncodeToString([]byte(plain)), "Basic <secret>"},
		{"hex", fmt.Sprintf("%x", plain), "<secret>"},
		{"other", "nothing here", "nothing here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := secret.Redact(tt.text, v, secret.Value{}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	long, short := secret.New("abc-def"), secret.New("abc")
	if got, want := secret.Redact("abc-def abc", short, long), "<secret> <secret>"; got != want {
		t.Errorf("nested secrets: got %q, want %q", got, want)
	}
}
