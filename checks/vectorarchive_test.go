package checks_test

import "strings"

// archive is a text archive in the txtar format: a comment, then files, each
// begun by a line "-- name --".
type archive struct {
	comment string
	files   []archiveFile
}

type archiveFile struct{ name, data string }

func parseArchive(text string) archive {
	var a archive
	for line := range strings.Lines(text) {
		name, ok := fileMarker(line)
		switch {
		case ok:
			a.files = append(a.files, archiveFile{name: name})
		case len(a.files) == 0:
			a.comment += line
		default:
			a.files[len(a.files)-1].data += line
		}
	}
	return a
}

func fileMarker(line string) (name string, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	name, ok = strings.CutPrefix(line, "-- ")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " --")
	return strings.TrimSpace(name), ok
}
