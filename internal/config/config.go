package config

import "time"

// Version is the version of the file format.
const Version = 1

// Config is a whole configuration, defaults filled in. Only Load and Parse make
// one that keeps the rules of this package.
type Config struct {
	// Version of this file format.
	Version int `yaml:"version" jsonschema:"required,enum=1" eg:"1"`
	// FleetKeys refer to the root secrets that markers are made and verified
	// with, newest first. Without one, a one-shot command makes a key that
	// dies with it.
	FleetKeys []Ref `yaml:"fleet_keys,omitempty"`
	// Targets are what is probed.
	Targets []Target `yaml:"targets" jsonschema:"required,minItems=1" eg:"[{name: ...}]"`
	// Tenants are the synthetic accounts that probe.
	Tenants []Tenant `yaml:"tenants" jsonschema:"required,minItems=1" eg:"[{name: ...}]"`
	// Probes are the rounds of a one-shot run. Left out: the default plan.
	Probes []Probe `yaml:"probes"`
	// Budget caps what a run and a day may spend.
	Budget Budget `yaml:"budget"`

	// Store is where the daemon keeps its ledger.
	Store string `yaml:"store" jsonschema:"pattern=^sqlite:.+,default=sqlite:./crosstalk.db" eg:"sqlite:./crosstalk.db"`
	// Instance names this daemon among those with the same fleet key; it stays
	// the same after a restart.
	Instance string `yaml:"instance" jsonschema:"pattern=^[a-z0-9][a-z0-9._-]*$,maxLength=63,default=crosstalk" eg:"crosstalk"`
	// StopFile stops all probing of the daemon while a file of this path
	// exists.
	StopFile string `yaml:"stop_file,omitempty" jsonschema:"minLength=1" eg:"./stop"`
	// Silences are announced times in which the daemon leaves targets alone:
	// maintenance. Nothing is sent, and being blind is not held against them.
	Silences []Silence `yaml:"silences,omitempty"`
	// Paging is when the daemon pages.
	Paging Paging `yaml:"paging"`
	// Notify are the receivers of its pages.
	Notify []Notify `yaml:"notify,omitempty"`
	// Heartbeat is a dead man's switch outside: it is told that the daemon
	// lives, as long as rounds complete.
	Heartbeat *Heartbeat `yaml:"heartbeat,omitempty"`
	// Evidence is what is kept of answers in which something was found.
	Evidence Evidence `yaml:"evidence"`

	// Path is the file the configuration was read from.
	Path string `yaml:"-"`
	// Warnings are what is allowed but probably not meant, in order of line.
	Warnings []Problem `yaml:"-"`

	refs  resolver
	given map[string]position // where each key of the file stands, by path
}

// Target is one model behind one endpoint.
type Target struct {
	// Name is short and used in reports and metrics: lower case letters,
	// digits, dot, dash, underscore.
	Name string `yaml:"name" jsonschema:"required,pattern=^[a-z0-9][a-z0-9._-]*$,maxLength=63" eg:"edge-glm"`
	// API is the dialect the endpoint speaks.
	API string `yaml:"api" jsonschema:"required,enum=openai-chat" eg:"openai-chat"`
	// BaseURL is the address that the dialect's paths are appended to.
	BaseURL string `yaml:"base_url" jsonschema:"required,pattern=^https?://" eg:"https://inference.example/v1"`
	// Model is the model name sent with each request.
	Model string `yaml:"model" jsonschema:"required,minLength=1" eg:"glm-5.3"`
	// Window is the advertised context window in tokens, prompt and answer
	// together.
	Window int `yaml:"window" jsonschema:"required,minimum=256,maximum=100000000" eg:"1048576"`
	// MaxOutput is the most tokens an answer may be asked to have.
	MaxOutput int `yaml:"max_output" jsonschema:"minimum=16,maximum=1000000,default=512"`
	// Authorization says who allowed the target to be probed. Required unless
	// base_url is on this machine's loopback interface.
	Authorization *Authorization `yaml:"authorization,omitempty"`
	// Pricing is what the target charges. Required by caps in USD.
	Pricing *Pricing `yaml:"pricing,omitempty"`

	// Family is the filler family of every prompt. Left out: families take
	// turns.
	Family string `yaml:"family,omitempty"`
	// Families are the filler families that take turns, in place of all of
	// them: code, logs, prose, tables, words, and other languages.
	Families []string `yaml:"families,omitempty" eg:"[prose, code, german]"`
	// Facts is how many named facts a prompt holds: lines with invented names
	// that are known again when a leaked passage was translated.
	Facts int `yaml:"facts" jsonschema:"minimum=0,maximum=8,default=0"`
	// Dress is how markers are written: 13 words, or one hyphenated code for
	// models that copy single words best. Left out: each probe chooses.
	Dress string `yaml:"dress,omitempty" jsonschema:"enum=words,enum=code"`
	// Task is what prompts ask for: every seal of the document, or the one
	// code in it. Left out: each probe chooses.
	Task string `yaml:"task,omitempty" jsonschema:"enum=seals,enum=echo"`
	// Locators says whether filler carries locator sentences, by which a
	// leaked passage is traced. Off only for models that cannot read past
	// them.
	Locators bool `yaml:"locators" jsonschema:"default=true"`
	// MaxTokensField is the request field that bounds the answer.
	MaxTokensField string `yaml:"max_tokens_field" jsonschema:"enum=max_tokens,enum=max_completion_tokens,default=max_tokens"`
	// Thinking is how a thinking model is asked not to think. leave: it is
	// not; template: by chat_template_kwargs.enable_thinking; low, minimal: by
	// reasoning_effort; disabled: by thinking.type.
	Thinking string `yaml:"thinking" jsonschema:"enum=leave,enum=template,enum=low,enum=minimal,enum=disabled,default=leave"`
	// KeyHeader is the request header that carries the tenant's credential as
	// it is, e.g. api-key. Left out: Authorization, as a bearer token.
	KeyHeader string `yaml:"key_header,omitempty" jsonschema:"pattern=^[A-Za-z0-9-]+$" eg:"api-key"`
	// Headers are further request headers. One that authenticates takes a
	// reference, env:NAME or file:PATH.
	Headers map[string]string `yaml:"headers,omitempty"`
	// Proxy is the address of an HTTP proxy. Left out: straight to the target,
	// whatever the environment says.
	Proxy string `yaml:"proxy,omitempty" jsonschema:"pattern=^https?://" eg:"http://proxy.example:3128"`
	// CAFile holds the certificates (PEM) trusted in place of the system's.
	CAFile string `yaml:"ca_file,omitempty" jsonschema:"minLength=1" eg:"./ca.pem"`
	// Quiet are the hours in which the daemon leaves the target alone, e.g.
	// "22:00-06:00" or "sat,sun 00:00-24:00".
	Quiet []string `yaml:"quiet,omitempty"`
	// Timezone of the quiet hours, as the IANA database names it. Left out:
	// UTC.
	Timezone string `yaml:"timezone,omitempty" jsonschema:"minLength=1" eg:"Europe/Berlin"`
	// InsecureHTTP allows http:// to another machine: credentials then cross
	// the network in the clear.
	InsecureHTTP bool `yaml:"insecure_http,omitempty"`
	// Preflight is where the engines behind the target can be read.
	Preflight *Preflight `yaml:"preflight,omitempty"`
}

// Authorization is the stated permission to probe a target.
type Authorization struct {
	// Basis of the permission. owner: the endpoint is ours; contract: testing
	// is agreed in writing; provider-consent: the provider allowed it;
	// customer: ordinary use of an account.
	Basis string `yaml:"basis" jsonschema:"required,enum=owner,enum=contract,enum=provider-consent,enum=customer" eg:"owner"`
	// Reference is where the permission is written down: a change number, a
	// clause, a message.
	Reference string `yaml:"reference" jsonschema:"required,minLength=1" eg:"CHG-1234"`
	// Contact is who answers for these probes.
	Contact string `yaml:"contact" jsonschema:"required,minLength=1" eg:"oncall@example.com"`
	// Expires is the last day the permission holds, UTC.
	Expires Date `yaml:"expires" jsonschema:"required" eg:"2027-06-30"`
}

// Pricing is in USD per million tokens.
type Pricing struct {
	// Input is the price of prompt tokens.
	Input float64 `yaml:"input" jsonschema:"required,minimum=0" eg:"0.60"`
	// CachedInput is the price of prompt tokens served from a cache. Left
	// out: the price of input.
	CachedInput float64 `yaml:"cached_input" jsonschema:"minimum=0"`
	// Output is the price of answer tokens.
	Output float64 `yaml:"output" jsonschema:"required,minimum=0" eg:"2.20"`
}

// Tenant is a synthetic account.
type Tenant struct {
	// Name is short and used in reports: lower case letters, digits, dot,
	// dash, underscore.
	Name string `yaml:"name" jsonschema:"required,pattern=^[a-z0-9][a-z0-9._-]*$,maxLength=63" eg:"alpha"`
	// Index is the number that this tenant's markers carry: unique, and never
	// given to another account.
	Index int `yaml:"index" jsonschema:"required,minimum=1,maximum=4095" eg:"1"`
	// Credential refers to the account's API key: env:NAME or file:PATH.
	Credential Ref `yaml:"credential" jsonschema:"required" eg:"env:KEY_A"`
	// Domain is the isolation domain (organization, workspace) of the
	// account. Tenants of one domain may lawfully share some caches.
	Domain string `yaml:"domain" jsonschema:"minLength=1,default=default"`
	// Targets are the names of the targets this account has access to. Left
	// out: all.
	Targets []string `yaml:"targets,omitempty"`
}

// Probe is one line of the plan of a one-shot run, and with every or cron a
// schedule of the daemon.
type Probe struct {
	// Name tells two lines of one kind apart in the daemon. Left out: the kind.
	Name string `yaml:"name,omitempty" jsonschema:"pattern=^[a-z0-9][a-z0-9._-]*$,maxLength=63" eg:"top-cold"`
	// Kind of probe.
	Kind string `yaml:"kind" jsonschema:"required,enum=pulse,enum=burst,enum=seedwatch,enum=top,enum=overlength" eg:"pulse"`
	// Rounds of this kind in a run. Left out: as in the default plan.
	Rounds int `yaml:"rounds" jsonschema:"minimum=1,maximum=1000000"`
	// Size is of a burst only: requests released at once. Left out: 16, or 4
	// where the authorization allows no more.
	Size int `yaml:"size,omitempty" jsonschema:"minimum=2,maximum=64"`
	// Every is the interval at which the daemon runs the probe.
	Every string `yaml:"every,omitempty" jsonschema:"pattern=^([0-9]+(ms|s|m|h))+$" eg:"20m"`
	// Cron is when the daemon runs the probe instead: minute, hour, day of
	// month, month, day of week.
	Cron string `yaml:"cron,omitempty" jsonschema:"minLength=1" eg:"*/20 * * * *"`
	// Timezone of cron, as the IANA database names it. Left out: UTC.
	Timezone string `yaml:"timezone,omitempty" jsonschema:"minLength=1" eg:"Europe/Berlin"`
	// ColdEvery is of a top only: in the daemon one round of a tenant in so
	// many is cold, the others share a prefix that a prefix cache makes cheap.
	// Left out: always cold.
	ColdEvery int `yaml:"cold_every,omitempty" jsonschema:"minimum=1,maximum=1000"`
}

// Silence is an announced time in which targets are left alone.
type Silence struct {
	// Target is the name of the target. Left out: every target.
	Target string `yaml:"target,omitempty" jsonschema:"minLength=1" eg:"edge-glm"`
	// From is when it begins. Left out: it holds already.
	From Instant `yaml:"from,omitempty" eg:"2027-03-01T22:00:00Z"`
	// Until is when it ends. A silence that is over may stay in the file.
	Until Instant `yaml:"until" jsonschema:"required" eg:"2027-03-02T02:00:00Z"`
	// Reason is for whoever wonders: a change number, a sentence.
	Reason string `yaml:"reason" jsonschema:"required,minLength=1" eg:"kernel upgrade CHG-1234"`
}

// Paging is when the daemon pages.
type Paging struct {
	// FalsePagesPerYear is how many pages about damage are accepted in a year
	// on healthy targets, all targets of the file together: each gets an equal
	// share of it.
	FalsePagesPerYear float64 `yaml:"false_pages_per_year" jsonschema:"exclusiveMinimum=0,default=0.1"`
	// RepeatEvery is how often a page is repeated that nobody acknowledged.
	RepeatEvery string `yaml:"repeat_every" jsonschema:"pattern=^([0-9]+(ms|s|m|h))+$,default=4h" eg:"4h"`
	// EscalateAfter is how long a page may stay unacknowledged before it is
	// escalated. Left out: never.
	EscalateAfter string `yaml:"escalate_after,omitempty" jsonschema:"pattern=^([0-9]+(ms|s|m|h))+$" eg:"15m"`
}

// Notify is a receiver of pages.
type Notify struct {
	// Kind of receiver: a signed webhook, or Alertmanager's API v2.
	Kind string `yaml:"kind" jsonschema:"required,enum=webhook,enum=alertmanager" eg:"webhook"`
	// Name of the receiver in metrics and logs. Left out: the kind.
	Name string `yaml:"name,omitempty" jsonschema:"pattern=^[a-z0-9][a-z0-9._-]*$,maxLength=63" eg:"oncall"`
	// URL of a webhook, or of an Alertmanager without the path of its API. An
	// address that is itself a secret is given as a reference, env:NAME or
	// file:PATH.
	URL string `yaml:"url" jsonschema:"required,pattern=^(https?://|env:|file:)" eg:"https://pager.example/hook"`
	// Secret that signs the webhook's requests (HMAC-SHA256).
	Secret Ref `yaml:"secret,omitempty"`
	// Token is a bearer token for Alertmanager.
	Token Ref `yaml:"token,omitempty"`
	// PagesOnly leaves tickets out.
	PagesOnly bool `yaml:"pages_only,omitempty"`
	// EscalatedOnly sends only what was escalated: a second receiver.
	EscalatedOnly bool `yaml:"escalated_only,omitempty"`
}

// Heartbeat is a dead man's switch outside.
type Heartbeat struct {
	// URL to post to.
	URL Ref `yaml:"url" jsonschema:"required" eg:"env:HEARTBEAT_URL"`
	// Every is how often.
	Every string `yaml:"every" jsonschema:"pattern=^([0-9]+(ms|s|m|h))+$,default=1m" eg:"1m"`
}

// Budget caps what a run may spend. A cap of 0 is no cap.
type Budget struct {
	// USDPerRun is the most a run may cost, at the price of uncached tokens.
	// Left out: no cap.
	USDPerRun float64 `yaml:"usd_per_run,omitempty" jsonschema:"exclusiveMinimum=0"`
	// TokensPerRun is the most tokens a run may use, prompts and answers
	// together.
	TokensPerRun int64 `yaml:"tokens_per_run" jsonschema:"minimum=1,default=20000000"`
	// USDPerDay is the most a day may cost. A one-shot run holds its own
	// spend against it. Left out: no cap.
	USDPerDay float64 `yaml:"usd_per_day,omitempty" jsonschema:"exclusiveMinimum=0"`
	// TokensPerDay is the most tokens a day may use. A one-shot run holds its
	// own spend against it. Left out: no cap.
	TokensPerDay int64 `yaml:"tokens_per_day,omitempty" jsonschema:"minimum=1"`
	// ConfirmAboveUSD is the predicted cost above which a command wants
	// --yes.
	ConfirmAboveUSD float64 `yaml:"confirm_above_usd" jsonschema:"minimum=0,default=10"`
}

// Ref is a reference to a secret: env:NAME or file:PATH. It is safe to print;
// what was refused as one is not, and no problem repeats it.
type Ref string

// Date is a day, UTC.
type Date struct{ time.Time }

// String is the day as the file has it, e.g. 2027-06-30.
func (d Date) String() string { return d.Format(time.DateOnly) }

// MarshalYAML writes the day as the file has it.
func (d Date) MarshalYAML() ([]byte, error) { return []byte(d.String()), nil }

// End is the instant the day is over: a permission that expires on this day
// holds until then.
func (d Date) End() time.Time { return d.AddDate(0, 0, 1) }

// Instant is a point in time, with its offset from UTC.
type Instant struct{ time.Time }

// String is the instant as the file has it, e.g. 2027-03-01T22:00:00Z.
func (i Instant) String() string { return i.Format(time.RFC3339) }

// MarshalYAML writes the instant as the file has it.
func (i Instant) MarshalYAML() ([]byte, error) { return []byte(i.String()), nil }
