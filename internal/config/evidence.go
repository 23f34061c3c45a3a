package config

import (
	"errors"
	"fmt"
	"time"

	"crosstalk/internal/evidence"
)

// Evidence is what is kept of answers in which something was found.
type Evidence struct {
	// Recipients are the age recipients (age1...) that evidence is sealed to:
	// only who has the matching identity reads it. Left out: no content is
	// kept, only hashes, lengths and offsets.
	Recipients []string `yaml:"recipients,omitempty" eg:"[age1...]"`
	// Dir is the folder of the sealed files.
	Dir string `yaml:"dir" jsonschema:"minLength=1,default=./evidence" eg:"./evidence"`
	// Keep is how long they are kept.
	Keep string `yaml:"keep" jsonschema:"pattern=^([0-9]+(ms|s|m|h))+$,default=168h" eg:"168h"`
	// MiBPerIncident caps the evidence of one incident, in MiB.
	MiBPerIncident int `yaml:"mib_per_incident" jsonschema:"minimum=1,maximum=1048576,default=32"`
	// MiBTotal caps all evidence, in MiB.
	MiBTotal int `yaml:"mib_total" jsonschema:"minimum=1,maximum=1048576,default=512"`
}

// leastKept is the shortest retention: time for a person to come.
const leastKept = time.Hour

// checkEvidence holds the rules of evidence. What was given as a recipient is
// not repeated: it may be a secret key.
func (c *Config) checkEvidence(ps *problems) {
	e := c.Evidence
	for i, r := range e.Recipients {
		path := indexed("evidence.recipients", i)
		switch _, err := evidence.NewSealer(r); {
		case errors.Is(err, evidence.ErrIdentity):
			ps.add(path, "is an identity, a secret key, and this file is no place for one", "give its recipient, age1..., and make a new identity: this one has been written down")
		case err != nil:
			ps.add(path, "is not an age recipient", "write it as 'crosstalk evidence keygen' prints it, age1...")
		}
	}
	if _, err := evidence.NewSealer(e.Recipients...); errors.Is(err, evidence.ErrMixed) && len(e.Recipients) > 1 {
		ps.add("evidence.recipients", "cannot be used together", "use recipients of one kind: all age1pq1..., or none of them")
	}
	if d := Interval(e.Keep); d > 0 && d < leastKept {
		ps.add("evidence.keep", fmt.Sprintf("%s is over before anybody has looked", e.Keep), "keep evidence for an hour at least, or give no recipients")
	}
	if e.MiBPerIncident > e.MiBTotal {
		ps.add("evidence.mib_per_incident", fmt.Sprintf("%d MiB is above mib_total, %d", e.MiBPerIncident, e.MiBTotal), "make it smaller, or mib_total larger")
	}
}

// EvidencePath is the folder of the sealed files. A relative one starts at the
// folder of the configuration file.
func (c *Config) EvidencePath() string { return c.refs.path(c.Evidence.Dir) }

// Sealer seals evidence; nil if there are no recipients.
func (c *Config) Sealer() (*evidence.Sealer, error) {
	if len(c.Evidence.Recipients) == 0 {
		return nil, nil
	}
	return evidence.NewSealer(c.Evidence.Recipients...)
}

// Limits are the bounds of evidence.
func (e Evidence) Limits() evidence.Limits {
	return evidence.Limits{
		Keep: Interval(e.Keep), PerIncident: int64(e.MiBPerIncident) << 20, Total: int64(e.MiBTotal) << 20,
	}
}
