package alerting

import (
	"embed"
	"strings"
)

//go:embed runbooks/*.md
var runbooks embed.FS

// Runbook is the runbook for a check, or for "blind" or "prober", in Markdown;
// ok is false if there is none of that name. Incident.RunbookName names the one
// for an incident.
func Runbook(name string) (text string, ok bool) {
	if strings.ContainsAny(name, "/\\") {
		return "", false
	}
	b, err := runbooks.ReadFile("runbooks/" + name + ".md")
	return string(b), err == nil
}
