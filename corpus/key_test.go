package corpus

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// No way of printing a key gives the key, or any part of it.
func TestKeyIsNotPrinted(t *testing.T) {
	key := testKey(1)
	holder := struct {
		Key    Key
		Prefix Prefix
	}{key, Prefix{Key: key}}
	var outputs []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%b", "%o", "%c", "%U"} {
		outputs = append(outputs, fmt.Sprintf(verb, key), fmt.Sprintf(verb, &key), fmt.Sprintf(verb, holder))
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("message", "key", key)
	slog.New(slog.NewTextHandler(&log, nil)).Info("message", "key", key)
	outputs = append(outputs, log.String(), key.String())
	for _, got := range outputs {
		got = strings.ToLower(got)
		for _, secret := range []string{
			hex.EncodeToString(key[:4]), hex.EncodeToString(key[28:]), string(key[:4]),
			fmt.Sprintf("%d %d", key[0], key[1]), fmt.Sprintf("%d, %d", key[0], key[1]), fmt.Sprintf("0x%x, 0x%x", key[0], key[1]),
		} {
			if strings.Contains(got, secret) {
				t.Errorf("%q gives the key away", got)
			}
		}
		if !strings.Contains(got, key.String()) {
			t.Errorf("%q does not name the key %s", got, key)
		}
	}
}

func TestKeyJSON(t *testing.T) {
	key := testKey(1)
	text, err := json.Marshal(key)
	if err != nil || string(text) != `"`+hex.EncodeToString(key[:])+`"` {
		t.Fatalf("got %s, error %v", text, err)
	}
	var back Key
	if err := json.Unmarshal(text, &back); err != nil || back != key {
		t.Errorf("read back %x, error %v", back[:], err)
	}
	for bad, want := range map[string]string{
		`"00"`:                              "prompt key: 2 characters, want 64 hexadecimal digits",
		`"` + strings.Repeat("x", 64) + `"`: "prompt key: encoding/hex: invalid byte: U+0078 'x'",
	} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", bad, err, want)
		}
	}
}

// A locator of another key passes once in 512 times the hash agrees; one of
// this key always does, and no other page of it.
func TestVerify(t *testing.T) {
	key := testKey(1)
	own := key.pageKey("prose", 1)
	for page := range 1000 {
		l := locatorCode(&own, page).decode()
		if !key.Verify(l) {
			t.Fatalf("page %d: own locator %+v refused", page, l)
		}
		l.Request++
		if key.Verify(l) {
			t.Errorf("page %d: locator of another request accepted", page)
		}
	}
	accepted := 0
	for check := range uint16(512) {
		for _, page := range []int{0, 1, 77, MaxPages - 1} {
			if key.Verify(Locator{Request: key.Hash(), Page: page, Check: check}) {
				accepted++
			}
		}
	}
	if accepted != 4 {
		t.Errorf("%d of 2048 check values of 4 pages accepted, want 4", accepted)
	}
	for _, page := range []int{-1, MaxPages} {
		if key.Verify(Locator{Request: key.Hash(), Page: page}) {
			t.Errorf("page %d accepted", page)
		}
	}
}

// Subkeys are HMAC-SHA256, whatever the length of the purpose.
func TestDerive(t *testing.T) {
	for n := range 200 {
		purpose := strings.Repeat("x", n)
		mac := hmac.New(sha256.New, bytes.Repeat([]byte{7}, KeySize))
		fmt.Fprintf(mac, "crosstalk corpus %s", purpose)
		if got := Key(bytes.Repeat([]byte{7}, KeySize)).derive(purpose); !bytes.Equal(got[:], mac.Sum(nil)) {
			t.Fatalf("a purpose of %d bytes gives %x", n, got)
		}
	}
}
