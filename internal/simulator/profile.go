package simulator

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Profile is how good the model and how well the gateway behave without any
// fault. Nothing in a profile makes foreign content appear or an answer
// corrupt: whatever a prober says about it beyond "degraded" or "inconclusive"
// or a missed seal is a false alarm. Rates are per request.
type Profile struct {
	// Miss is the chance that the model overlooks one seal at the longest
	// band: from 4 x MissFrom prompt tokens on; a third of it from 2 x
	// MissFrom, a tenth from MissFrom, none below.
	Miss     float64
	MissFrom int // tokens; default 131,072
	// MissFirst scales Miss for the seal that is asked for first; default
	// 0.02: a single needle is hardly ever missed.
	MissFirst float64
	// Cluster is how much likelier the neighbours of a lost depth are lost:
	// the correlation of two neighbours, 0 to 1; default 0.5.
	Cluster float64

	Chatty float64 // preambles, closings, markdown, other list styles
	Refuse float64 // policy refusals

	// Think is the share of answers with a reasoning channel, Thoughts its
	// length in tokens (default 150; each answer draws between half and
	// double of it), ThinkField its name: reasoning_content or reasoning.
	// Stubborn ignores requests not to think.
	Think      float64
	Thoughts   int
	ThinkField string
	Stubborn   bool

	// TPM is the number of prompt tokens a tenant may send a minute, above
	// it 429; MaxBody the bytes of a request body, above it 413. 0: no limit.
	TPM     int
	MaxBody int64

	Overload   float64 // 503
	Payment    float64 // 402
	Moderation float64 // 400, refused for its content
	HTML       float64 // an error page with status 200
	Hang       float64 // no first byte until the client gives up
	Drop       float64 // the connection breaks in the middle of the answer

	// Every and For confine the gateway's ills (TPM to Drop) to the first
	// For of each Every: bad hours. 0: always.
	Every, For time.Duration
}

// errProfile is wrapped by every error about a profile.
var errProfile = errors.New("invalid profile")

// Profiles returns the words that ParseProfile knows, with their help.
func Profiles() []Described {
	return []Described{
		{"perfect", "finds every seal and says nothing else"},
		{"miss2", "overlooks 2 % of the seals in prompts of 512k tokens and more, less below, none below 128k (miss=, missfrom=, missfirst=, cluster=)"},
		{"miss20", "overlooks 20 % of the seals there"},
		{"chatty", "wraps answers in greetings, markdown, other list styles (chatty=)"},
		{"refusals", "refuses 1 % of the requests on policy (refuse=)"},
		{"thinking", "thinks aloud in a reasoning channel unless told not to (think=, thoughts=, thinkfield=reasoning_content|reasoning, stubborn)"},
		{"budget", "thinks at such length that small answer budgets are used up"},
		{"ratelimit", "429 above two million prompt tokens a minute and tenant (tpm=)"},
		{"toolarge", "413 above 1 MiB of body (maxbody=)"},
		{"flaky", "1 % each of 503, HTML pages with status 200, hangs and broken connections (overload=, html=, hang=, drop=)"},
		{"broke", "402 for every request (payment=)"},
		{"moderated", "1 % refused by moderation (moderation=)"},
		{"badhours", "confines the gateway's ills to the first 10 minutes of each hour (every=, for=)"},
	}
}

// ParseProfile reads words of Profiles and key=value pairs, separated by
// commas, e.g. "miss20,chatty,overload=0.02". An empty text is perfect.
func ParseProfile(text string) (Profile, error) {
	var p Profile
	for field := range strings.SplitSeq(text, ",") {
		field = strings.TrimSpace(field)
		if field == "" {
			continue
		}
		key, value, pair := strings.Cut(field, "=")
		err := fmt.Errorf("unknown word %q", field)
		switch {
		case pair || key == "stubborn":
			err = p.set(key, value)
		case p.word(key):
			err = nil
		}
		if err != nil {
			return Profile{}, fmt.Errorf("%w %q: %w", errProfile, text, err)
		}
	}
	return p.complete()
}

// word applies one word of Profiles.
func (p *Profile) word(word string) bool {
	switch word {
	case "perfect":
	case "miss2":
		p.Miss = 0.02
	case "miss20":
		p.Miss = 0.20
	case "chatty":
		p.Chatty = 1
	case "refusals":
		p.Refuse = 0.01
	case "thinking":
		p.Think = 1
	case "budget":
		p.Think, p.Thoughts, p.Stubborn = 1, 2000, true
	case "ratelimit":
		p.TPM = 2_000_000
	case "toolarge":
		p.MaxBody = 1 << 20
	case "flaky":
		p.Overload, p.HTML, p.Hang, p.Drop = 0.01, 0.01, 0.01, 0.01
	case "broke":
		p.Payment = 1
	case "moderated":
		p.Moderation = 0.01
	case "badhours":
		p.Every, p.For = time.Hour, 10*time.Minute
	default:
		return false
	}
	return true
}

// rates are the fields of p that are a chance per request.
func (p *Profile) rates() map[string]*float64 {
	return map[string]*float64{
		"miss": &p.Miss, "missfirst": &p.MissFirst, "cluster": &p.Cluster,
		"chatty": &p.Chatty, "refuse": &p.Refuse, "think": &p.Think,
		"overload": &p.Overload, "payment": &p.Payment, "moderation": &p.Moderation,
		"html": &p.HTML, "hang": &p.Hang, "drop": &p.Drop,
	}
}

// set sets one key of the text form.
func (p *Profile) set(key, value string) (err error) {
	if rate := p.rates()[key]; rate != nil {
		*rate, err = strconv.ParseFloat(value, 64)
		return err
	}
	switch key {
	case "missfrom":
		p.MissFrom, err = strconv.Atoi(value)
	case "thoughts":
		p.Thoughts, err = strconv.Atoi(value)
	case "thinkfield":
		p.ThinkField = value
	case "stubborn":
		p.Stubborn = value == "" || value == "true"
	case "tpm":
		p.TPM, err = strconv.Atoi(value)
	case "maxbody":
		p.MaxBody, err = strconv.ParseInt(value, 10, 64)
	case "every":
		p.Every, err = time.ParseDuration(value)
	case "for":
		p.For, err = time.ParseDuration(value)
	default:
		err = fmt.Errorf("unknown key %q", key)
	}
	return err
}

// complete fills in the defaults and says what is wrong.
func (p Profile) complete() (Profile, error) {
	p.MissFrom = orDefault(p.MissFrom, 131072)
	p.MissFirst = orDefault(p.MissFirst, 0.02)
	p.Cluster = orDefault(p.Cluster, 0.5)
	p.Thoughts = orDefault(p.Thoughts, 150)
	p.ThinkField = orDefault(p.ThinkField, "reasoning_content")
	for key, rate := range p.rates() {
		if !(*rate >= 0 && *rate <= 1) {
			return p, fmt.Errorf("%w: %s is %v, want 0 to 1", errProfile, key, *rate)
		}
	}
	if p.ThinkField != "reasoning_content" && p.ThinkField != "reasoning" {
		return p, fmt.Errorf("%w: thinkfield is %q, want reasoning_content or reasoning", errProfile, p.ThinkField)
	}
	return p, nil
}

// missAt is the chance to overlook one seal of a prompt of so many tokens.
func (p Profile) missAt(tokens int) float64 {
	switch {
	case tokens < p.MissFrom:
		return 0
	case tokens < 2*p.MissFrom:
		return p.Miss / 10
	case tokens < 4*p.MissFrom:
		return p.Miss / 3
	}
	return p.Miss
}

// ill reports whether the gateway may be ill at that time.
func (p Profile) ill(since time.Duration) bool {
	return p.Every <= 0 || since%p.Every < p.For
}
