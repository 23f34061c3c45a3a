package tenants_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"crosstalk/tenants"
)

func TestParseFleetKey(t *testing.T) {
	raw := bytes.Repeat([]byte{0xFB, 0xFF}, 16)
	std := base64.StdEncoding.EncodeToString(raw)
	for name, text := range map[string]string{
		"standard": std, "unpadded": strings.TrimRight(std, "="), "white space": " \n" + std + "\r\n",
		"url": base64.URLEncoding.EncodeToString(raw), "raw url": base64.RawURLEncoding.EncodeToString(raw),
	} {
		key, err := tenants.ParseFleetKey(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := key.Encode(); got != std {
			t.Errorf("%s: encodes as %q, want %q", name, got, std)
		}
	}
	for name, tt := range map[string]struct{ text, err string }{
		"empty":     {"", "0 bytes, want 32"},
		"short":     {encode(raw[:31]), "31 bytes, want 32"},
		"long":      {encode(append(raw, 1)), "33 bytes, want 32"},
		"not":       {"this is a passphrase, no key", "not base64"},
		"zeros":     {encode(make([]byte, 32)), "all zeros"},
		"trailing":  {strings.TrimRight(std, "=")[:42] + "1", "not base64"}, // bits left over
		"two lines": {std + "\n" + std, "not base64"},
	} {
		_, err := tenants.ParseFleetKey(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: error is %v, want one with %q", name, err, tt.err)
		}
		if err != nil && len(tt.text) > 8 && strings.Contains(err.Error(), tt.text[:8]) {
			t.Errorf("%s: the error repeats the text: %v", name, err)
		}
	}
}

func TestLoadFleetKey(t *testing.T) {
	dir := t.TempDir()
	key := testKey(t, 0)
	env := lookup(map[string]string{"FLEET": key.Encode(), "BAD": "zzz"})
	write(t, filepath.Join(dir, "strict"), key.Encode()+"\n", 0o400)
	write(t, filepath.Join(dir, "private"), key.Encode()+"\n", 0o600)
	write(t, filepath.Join(dir, "group"), key.Encode()+"\n", 0o640)
	write(t, filepath.Join(dir, "world"), key.Encode()+"\n", 0o604)
	write(t, filepath.Join(dir, "broken"), "zzz", 0o600)
	tests := []struct{ ref, err string }{
		{"env:FLEET", ""},
		{"file:strict", ""},
		{"file:private", ""},
		{"file:" + filepath.Join(dir, "private"), ""},
		{"file:group", "chmod 600 " + filepath.Join(dir, "group")},
		{"file:world", "has mode 0604"},
		{"file:missing", "does not exist"},
		{"file:broken", "file:broken: fleet key: "},
		{"env:BAD", "env:BAD: fleet key: "},
		{"env:UNSET", "UNSET is not set"},
		{key.Encode(), "not a reference"},
	}
	for _, tt := range tests {
		got, err := tenants.LoadFleetKey(tt.ref, dir, env)
		switch {
		case tt.err == "" && (err != nil || !got.Equal(key)):
			t.Errorf("LoadFleetKey(%q): %v, want the key", tt.ref, err)
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("LoadFleetKey(%q): %v, want an error with %q", tt.ref, err, tt.err)
		}
		if err != nil && strings.Contains(err.Error(), key.Encode()) {
			t.Errorf("the error repeats the key: %v", err)
		}
	}
}

func TestFleetKeyPrintsNothing(t *testing.T) {
	key := testKey(t, 'A')
	raw, _ := base64.StdEncoding.DecodeString(key.Encode())
	shapes := []any{
		key, &key,
		[]tenants.FleetKey{key},
		map[string]any{"k": key},
		struct{ Key tenants.FleetKey }{key},
		struct{ key tenants.FleetKey }{key},
		tenants.NewCodec(key),
	}
	for _, v := range shapes {
		var out bytes.Buffer
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		j, _ := json.Marshal(v)
		y, _ := yaml.Marshal(v)
		out.Write(append(j, y...))
		slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "k", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("x", "k", v)
		for _, form := range []string{
			key.Encode()[:20], string(raw[:16]), fmt.Sprintf("%x", raw[:16]), fmt.Sprintf("%X", raw[:16]),
			strings.Trim(fmt.Sprint(raw[:16]), "[]"), fmt.Sprintf("%#v", raw[:4])[7:25],
		} {
			if strings.Contains(out.String(), form) {
				t.Errorf("%T prints the key: %s", v, out.String())
			}
		}
	}
	// Nor does a codec print the keys derived from it.
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		codec := *tenants.NewCodec(key)
		if got := fmt.Sprintf(verb, codec); len(got) > 300 || !strings.Contains(got, "<secret>") && !strings.Contains(got, "0x") && verb != "%x" {
			t.Errorf("a codec prints as %s", got)
		}
	}
	if got := fmt.Sprint(key); got != "<secret>" {
		t.Errorf("the key prints as %q", got)
	}
}

func TestFleetKeyIdentity(t *testing.T) {
	a, err := tenants.NewFleetKey()
	if err != nil {
		t.Fatal(err)
	}
	b, err := tenants.NewFleetKey()
	if err != nil {
		t.Fatal(err)
	}
	again, err := tenants.ParseFleetKey(a.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if !a.Equal(again) || a.ID() != again.ID() || len(a.ID()) != 8 {
		t.Errorf("a key read back is not the same: %s and %s", a.ID(), again.ID())
	}
	if a.Equal(b) || a.ID() == b.ID() || a.IsZero() {
		t.Error("two new keys are the same")
	}
	if zero := (tenants.FleetKey{}); !zero.IsZero() || zero.Equal(a) {
		t.Error("the zero key is not zero")
	}
}
