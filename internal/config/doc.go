// Package config reads crosstalk.yaml: which targets are probed, as which
// tenants, by whose permission and at what cost.
//
// The words of the file:
//
//   - A target is one model behind one endpoint. Its window is the context
//     length its provider advertises, in tokens; prompts are sized by it. Its
//     authorization states who allowed it to be probed: without one, only
//     targets on this machine's loopback interface are accepted.
//   - A tenant is a synthetic account. Its index is what markers carry; it is
//     unique per fleet key and never given to another account. Its domain is
//     the isolation domain (organization, workspace) the account is in.
//   - A reference stands where a secret belongs: env:NAME or file:PATH. A
//     secret written into the file itself is refused, and never printed.
//   - A probe line says how many rounds of a kind of probe a one-shot run does.
//   - The budget caps what a run may spend.
//
// Reading is strict. An unknown key, a key given twice, a value of the wrong
// type and a rule broken are each a [Problem] with file, line, column, path and
// what to do about it, and all problems of a file are reported at once, because
// a file that is mended one message at a time is mended by trial and error.
// Aliases, anchors and tags are refused: what an auditor reads is what runs.
//
// The Go types are the one source of names, defaults, bounds and documentation:
// [Load] and [Schema] both read their struct tags, so an editor that completes
// by the schema and the program that loads the file agree.
//
// Config names the kinds of dialects and probes and imports none of them;
// cmd/crosstalk maps the names to code.
package config
