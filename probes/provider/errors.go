package provider

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// ClassifyError says what kind of error an answer is, or returns nil if it is
// none: a 2xx whose body has no error in it.
//
// It reads the body before the status, because gateways change the one and
// pass on the other: a refusal for length stays one when a proxy makes a 502 of
// it, and when it comes inside a 200. Wrappers (LiteLLM, OpenRouter,
// Cloudflare, JSON in a string) are undone down to the innermost text.
func ClassifyError(status int, header http.Header, body []byte) *Failure {
	told, found := readToldError(body)
	ok := status/100 == 2
	if ok && !found {
		return nil
	}
	if status/100 == 3 {
		return &Failure{Kind: FailureRedirect, Code: strconv.Itoa(status), Message: "redirect not followed"}
	}
	if !found {
		told = toldError{message: plainText(header.Get("Content-Type"), body)}
	}
	told.typ = cmp.Or(told.typ, awsType(header))
	f := &Failure{
		Code: Clip(told.code, maxWord), Type: Clip(told.typ, maxWord), Param: Clip(told.param, maxWord),
		Message: Clip(told.message, maxMessage), InStream: ok,
	}
	f.RetryAfter = retryAfter(header, told)
	f.Kind = kindOf(status, told, f)
	return f
}

// Bounds of the texts of a Failure: they go into logs and reports.
const (
	maxMessage = 2 << 10
	maxWord    = 100
)

// awsType is the error type that AWS puts into a header, cut at the colon.
func awsType(header http.Header) string {
	t, _, _ := strings.Cut(header.Get("X-Amzn-Errortype"), ":")
	return t
}

// kindOf decides the kind of an error, and fills in the numbers of an
// over-length refusal.
func kindOf(status int, told toldError, f *Failure) FailureKind {
	text := strings.ToLower(told.message)
	if kind, ok := lengthKind(told, text, f); ok {
		return kind
	}
	words := strings.ToLower(told.code + " " + told.typ + " " + told.reason)
	for _, rule := range errorRules() {
		if rule.fits(words, text) {
			return rule.kind
		}
	}
	return kindOfStatus(told.effectiveStatus(status))
}

// lengthKind recognises a refusal for length. A limit per minute is none: it
// says nothing of the context window.
func lengthKind(told toldError, text string, f *Failure) (FailureKind, bool) {
	if containsAny(text, "request too large", "request is too large") && containsAny(text, "per min", "tpm") {
		return FailureTooLarge, true
	}
	o, found := findOverLength(told.message)
	byCode := slices.Contains([]string{"context_length_exceeded", "exceed_context_size_error", "context_window_exceeded"},
		strings.ToLower(cmp.Or(told.code, told.typ))) || told.typ == "exceed_context_size_error"
	if !found && !byCode {
		return "", false
	}
	f.Limit, f.Given, f.Prompt, f.AtLeast = o.limit, o.given, o.prompt, o.atLeast
	if f.Limit == 0 {
		f.Limit = told.limit
	}
	if f.Given == 0 {
		f.Given = told.given
	}
	return FailureOverLength, true
}

// errorRule gives a kind to errors by a word of their code or type, or by a
// piece of their text.
type errorRule struct {
	kind  FailureKind
	words []string // in code, type or reason
	texts []string // in the message
}

// errorRules are tried in order: what asks for a person first, what asks for
// patience last. They only hold what the status does not say, or says wrong.
func errorRules() []errorRule {
	return []errorRule{
		{
			FailureQuota,
			[]string{"insufficient_quota", "credit_balance_exhausted", "billing_hard_limit", "budget_exceeded", "quota_exceeded"},
			[]string{"exceeded your current quota", "no credits remaining", "daily free allocation", "budget has been exceeded", "monthly usage limit"},
		},
		{
			FailurePayment,
			[]string{"billing_error", "insufficient_balance", "payment_required"},
			[]string{"requires more credits", "insufficient balance", "insufficient credits", "payment required"},
		},
		{
			FailureModeration,
			[]string{"content_filter", "content_policy", "responsibleaipolicyviolation", "moderation", "data_inspection_failed", "prompt_blocked"},
			[]string{"content management policy", "flagged by moderation", "requires moderation", "violates our usage policies"},
		},
		{
			FailureAuth,
			[]string{"invalid_api_key", "authentication_error", "auth_error", "permission_error", "token_not_found_in_db", "api_key_invalid"},
			[]string{"incorrect api key", "invalid api key", "authentication error", "no auth credentials"},
		},
		{
			FailureNotFound,
			[]string{"model_not_found", "deploymentnotfound", "not_found_error", "notfounderror"},
			[]string{"no such model", "model does not exist"},
		},
		{
			FailureOverload,
			[]string{"overloaded", "unavailable_error", "service_unavailable", "server_busy", "engine_overloaded"},
			[]string{"no more data centers", "out of capacity", "is overloaded", "queue is full", "maximum pending requests", "server busy", "loading model"},
		},
		{
			FailureRateLimit,
			[]string{"rate_limit", "throttling", "resource_exhausted", "too_many_requests"},
			[]string{"rate limit", "too many requests", "no deployments available"},
		},
	}
}

func (r errorRule) fits(words, text string) bool {
	return containsAny(words, r.words...) || containsAny(text, r.texts...)
}

func containsAny(s string, pieces ...string) bool {
	return slices.ContainsFunc(pieces, func(p string) bool { return strings.Contains(s, p) })
}

// kindOfStatus is the kind of an error that says nothing we know.
func kindOfStatus(status int) FailureKind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return FailureAuth
	case http.StatusPaymentRequired:
		return FailurePayment
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return FailureNotFound
	case http.StatusRequestTimeout, http.StatusGatewayTimeout, 524:
		return FailureTimeout
	case http.StatusRequestEntityTooLarge:
		return FailureTooLarge
	case http.StatusTooManyRequests:
		return FailureRateLimit
	case http.StatusFailedDependency: // TGI: the generation broke
		return FailureServer
	case http.StatusServiceUnavailable, 529:
		return FailureOverload
	}
	if status/100 == 4 {
		return FailureBadRequest
	}
	return FailureServer
}

// plainText is the message of a body that is no JSON: the title of a page, or
// the beginning of a text.
func plainText(contentType string, body []byte) string {
	body = bytes.TrimSpace(body)
	if !strings.Contains(strings.ToLower(contentType), "html") && !bytes.HasPrefix(body, []byte("<")) {
		return strings.ToValidUTF8(Clip(string(body[:min(len(body), maxMessage)]), 300), "\uFFFD")
	}
	page := string(body[:min(len(body), 8<<10)])
	lower := strings.ToLower(page)
	from, to := strings.Index(lower, "<title>"), strings.Index(lower, "</title>")
	if from < 0 || to < from || to > len(page) {
		return "a page of HTML"
	}
	return "a page of HTML: " + strings.ToValidUTF8(Clip(strings.TrimSpace(page[from+len("<title>"):to]), 100), "\uFFFD")
}
