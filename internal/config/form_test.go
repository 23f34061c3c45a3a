package config_test

import (
	"strings"
	"testing"
)

// TestForm: a value of the wrong form is named with its place, its key, itself
// and what to write instead.
func TestForm(t *testing.T) {
	const at = "test.yaml:7:24: probes[0].every: "
	tests := map[string]struct{ old, new, want string }{
		"unit":        {"", "probes: [{kind: pulse, every: 5x}]\n", at + `"5x" is not a length of time` + "\n\twrite whole numbers with ms, s, m or h, for example: 20m"},
		"no unit":     {"", "probes: [{kind: pulse, every: 5}]\n", at + `"5" is not a length of time`},
		"none":        {"", "probes: [{kind: pulse, every: 0s}]\n", at + `"0s" is no time at all` + "\n\twrite a longer one, for example: 20m"},
		"for ever":    {"", "probes: [{kind: pulse, every: 9999999999h}]\n", at + `"9999999999h" is longer than 292 years` + "\n\tcheck the unit"},
		"kept never":  {"", "evidence: {keep: 0h}\n", `evidence.keep: "0h" is no time at all`},
		"repeat":      {"", "paging: {repeat_every: 1d}\n", `paging.repeat_every: "1d" is not a length of time` + "\n\twrite whole numbers with ms, s, m or h, for example: 4h"},
		"scheme":      {"http://", "", `test.yaml:3:35: targets[0].base_url: "127.0.0.1:18080/v1" does not begin with http:// or https://` + "\n\twrite the whole address, for example: https://"},
		"no host":     {"http://127.0.0.1:18080/v1", "https://", `targets[0].base_url: "https://" is not an address`},
		"space":       {"127.0.0.1:18080", "my host", `targets[0].base_url: "http://my host" is not an address` + "\n\twrite scheme, host and path"},
		"port":        {":18080", ":http", `targets[0].base_url: "http://127.0.0.1:http" is not an address`},
		"name":        {"name: alpha", "name: Al pha", `tenants[0].name: "Al pha" is not a short name` + "\n\tuse lower case letters"},
		"number":      {"32768", "32k", `targets[0].window: must be a whole number, is the text "32k"`},
		"header name": {"model: sim", "model: sim, key_header: api key", "targets[0].key_header: is not the name of a header\n\tuse letters"},
		"receiver":    {"", "notify: [{kind: webhook, url: hooks.example/x, secret: env:S}]\n", "notify[0].url: is neither an address nor a reference"},
		"store":       {"", "store: crosstalk.db\n", `store: "crosstalk.db" is not a store` + "\n\twrite sqlite: and the path"},
		"day": {
			"model: sim", "model: sim, authorization: {basis: owner, reference: a, contact: b, expires: 2027-02-30}",
			`targets[0].authorization.expires: "2027-02-30" is not a day`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text := small + tt.new
			if tt.old != "" {
				text = strings.Replace(small, tt.old, tt.new, 1)
			}
			_, err := parse(text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}

// TestFormHidesSecrets: a secret in the wrong place is not repeated.
func TestFormHidesSecrets(t *testing.T) {
	for _, bad := range []string{
		strings.Replace(small, "name: alpha", "name: sk-DO-NOT-REPEAT-0123456789", 1),
		strings.Replace(small, "32768", "sk-DO-NOT-REPEAT-0123456789", 1),
		strings.Replace(small, "http://127", "user:DO-NOT-REPEAT@127", 1),
		strings.Replace(small, "http://127", "http://user:DO-NOT-REPEAT@12 7", 1),
		strings.Replace(small, "http://127.0.0.1:18080/v1", "https:///services/DO-NOT-REPEAT", 1),
		small + "store: postgres://user:DO-NOT-REPEAT@host/db\n",
		small + "notify: [{kind: webhook, url: hooks.example/DO-NOT-REPEAT, secret: env:S}]\n",
		small + "notify: [{kind: webhook, url: 'https:///DO-NOT-REPEAT', secret: env:S}]\n",
	} {
		if _, err := parse(bad); err == nil || strings.Contains(err.Error(), "DO-NOT-REPEAT") {
			t.Errorf("the message repeats what may be a secret, or there is none:\n%v", err)
		}
	}
}

// TestHeaderNames: a name is judged by its whole words.
func TestHeaderNames(t *testing.T) {
	header := func(name string) error {
		_, err := parse(strings.Replace(small, "model: sim", "model: sim, headers: {"+name+": something}", 1))
		return err
	}
	for _, name := range []string{
		"x-portkey-provider", "x-portkey-custom-host", "X-Author-Id", "x-monkey", "x-keyboard", "x-max-tokens",
		"x-tokenizer", "OpenAI-Organization", "anthropic-version", "x-signed-by", "x-secretary", "traceparent",
	} {
		if err := header(name); err != nil {
			t.Errorf("%s is refused: %v", name, err)
		}
	}
	for _, name := range []string{
		"x-api-key", "X-Api-Key", "api-key", "apikey", "x-apikey", "x-portkey-api-key", "x-goog-api-key", "Cookie",
		"x-auth-token", "Helicone-Auth", "Proxy-Authorization", "x-amz-security-token", "x-hub-signature-256",
		"x-client-secret", "x_access_token", "x-authtoken", "x-jwt", "Ocp-Apim-Subscription-Key",
	} {
		if err := header(name); err == nil || !strings.Contains(err.Error(), "seems to hold a secret") {
			t.Errorf("%s is accepted: %v", name, err)
		}
	}
}
