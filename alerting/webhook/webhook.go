// Package webhook delivers pages as signed JSON to a URL of your own.
//
// The body is a [Message]: the page as package alerting defines it, with a
// version. Three headers come with it:
//
//	X-Crosstalk-Signature: t=1790000000,v1=5257a8...   see Verify
//	X-Crosstalk-Dedup-Key: crosstalk-...               of the incident
//	X-Crosstalk-Page:      ...                         of this notification
//
// A receiver answers with any 2xx. It may get a page more than once, and tells
// by the page's id; all pages of an incident have one dedup key.
//
// # Verifying
//
// A receiver that knows the secret checks, before it reads the body, that the
// message is from crosstalk and is not an old one played again: [Verify] does
// it. In any other language: split the signature header at commas, take t, and
// compare, in constant time, each v1 with the hex of
//
//	HMAC-SHA256(secret, t + "." + body)
//
// and refuse a t that is more than five minutes off.
package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crosstalk/alerting"
	"crosstalk/internal/secret"
)

// The headers of a message.
const (
	HeaderSignature = "X-Crosstalk-Signature"
	HeaderDedupKey  = "X-Crosstalk-Dedup-Key"
	HeaderPage      = "X-Crosstalk-Page"
)

// Version is that of the schema of a Message.
const Version = 1

// Message is the body of a notification.
type Message struct {
	Version int `json:"version"`
	alerting.Page
	// Runbook is the name of the runbook, Link where to look, "" if the
	// daemon has no address of its own.
	Runbook string `json:"runbook"`
	Link    string `json:"link,omitempty"`
}

// Options are the options of a webhook.
type Options struct {
	Name string // in the configuration
	// URL is where to post. It is a secret: many hold a token.
	URL secret.Value
	// Secret signs the messages; without one they are not signed.
	Secret secret.Value
	// External is the address of the daemon's own pages, for the link.
	External string
	// HTTP are the options of the connection.
	HTTP alerting.SenderOptions
	// Now is the clock of the signature; nil means time.Now.
	Now func() time.Time
}

// Webhook is an [alerting.Notifier].
type Webhook struct {
	o      Options
	sender *alerting.Sender
}

var _ alerting.Notifier = (*Webhook)(nil)

// New returns a webhook. An error says which option is wrong.
func New(o Options) (*Webhook, error) {
	if o.Name == "" {
		o.Name = "webhook"
	}
	u, err := url.Parse(o.URL.Reveal())
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("notifier %s: url: want http:// or https:// and a host", o.Name)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.HTTP.Secrets = append([]secret.Value{o.URL, o.Secret}, o.HTTP.Secrets...)
	return &Webhook{o: o, sender: alerting.NewSender(o.Name, o.HTTP)}, nil
}

// Name is the name of the notifier in the configuration.
func (w *Webhook) Name() string { return w.o.Name }

// Notify posts the page.
func (w *Webhook) Notify(ctx context.Context, p alerting.Page) error {
	body, err := json.Marshal(w.message(p))
	if err != nil {
		return &alerting.DeliveryError{Notifier: w.o.Name, Reason: alerting.ReasonRefused, Err: fmt.Errorf("encode the page: %w", err)}
	}
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set(HeaderDedupKey, p.Incident.DedupKey)
	h.Set(HeaderPage, p.ID.String())
	if !w.o.Secret.IsEmpty() {
		h.Set(HeaderSignature, Sign(w.o.Secret, body, w.o.Now()))
	}
	return w.sender.Post(ctx, w.o.URL, h, body)
}

func (w *Webhook) message(p alerting.Page) Message {
	m := Message{Version: Version, Page: p, Runbook: p.Incident.RunbookName()}
	if w.o.External != "" {
		m.Link = strings.TrimRight(w.o.External, "/") + "/incidents/" + p.Incident.ID.String()
	}
	return m
}

// Sign is the value of the signature header for a body sent at a time.
func Sign(key secret.Value, body []byte, at time.Time) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac(key, t, body))
}

// ErrSignature is that of a message that is not from the holder of the secret,
// or not from now.
var ErrSignature = errors.New("signature")

// Tolerance is how far the time of a signature may be from the receiver's.
const Tolerance = 5 * time.Minute

// Verify checks the signature header of a body that arrived at now. A message
// may carry several signatures, while a secret is being changed: one must be
// right. The error wraps ErrSignature and says what to look at.
func Verify(key secret.Value, header string, body []byte, now time.Time) error {
	t, signatures := "", [][]byte{}
	for part := range strings.SplitSeq(header, ",") {
		k, v, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch k {
		case "t":
			t = v
		case "v1":
			if s, err := hex.DecodeString(v); err == nil {
				signatures = append(signatures, s)
			}
		}
	}
	seconds, err := strconv.ParseInt(t, 10, 64)
	if err != nil || len(signatures) == 0 {
		return fmt.Errorf("%w: want t=<seconds>,v1=<hex>", ErrSignature)
	}
	want := mac(key, t, body)
	good := false
	for _, s := range signatures {
		good = hmac.Equal(s, want) || good
	}
	if !good {
		return fmt.Errorf("%w: does not fit the body: is it the right secret, and the body as it came?", ErrSignature)
	}
	if off := now.Unix() - seconds; off > int64(Tolerance/time.Second) || off < -int64(Tolerance/time.Second) {
		return fmt.Errorf("%w: signed %d seconds ago: an old message, or a clock that is off", ErrSignature, off)
	}
	return nil
}

// mac is HMAC-SHA256 over t, a dot, and the body.
func mac(key secret.Value, t string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(key.Reveal()))
	h.Write([]byte(t + "."))
	h.Write(body)
	return h.Sum(nil)
}
