package preflight

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// MaxDocument is the largest answer or file that is read, in bytes.
const MaxDocument = 8 << 20

// documentKind is what a document turned out to be.
type documentKind string

const (
	docServerInfo documentKind = "SGLang server information"
	docModels     documentKind = "a list of models"
	docProps      documentKind = "llama.cpp properties"
	docSlots      documentKind = "llama.cpp slots"
	docRunning    documentKind = "Ollama's loaded models"
	docShow       documentKind = "Ollama's description of a model"
	docVersion    documentKind = "a version"
	docIterations documentKind = "TensorRT-LLM iteration statistics"
	docMetrics    documentKind = "a metrics page"
	docLaunch     documentKind = "launch settings"
)

// errDocument is wrapped by every error about a document that is not what a
// reader can use.
var errDocument = errors.New("unreadable")

func badDocument(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDocument, clean(fmt.Sprintf(format, args...)))
}

// Read adds the facts of one document to the node, whatever kind it is of, and
// returns its kind. where is the file or address that the facts will name.
// What cannot be read becomes a problem of the node, and the kind is "".
func (n *Node) Read(where string, body []byte) string {
	fresh := &Node{only: n.only}
	kind, err := fresh.read(where, body)
	if err != nil {
		n.trouble(where, err.Error(), "save what the engine itself answers, or its launch flags, and name that")
		return ""
	}
	n.absorb(where, fresh)
	return string(kind)
}

// read recognises a document by what is in it, never by its name.
func (n *Node) read(where string, body []byte) (documentKind, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	switch {
	case len(body) == 0:
		return "", badDocument("it is empty")
	case len(body) > MaxDocument:
		return "", badDocument("it is larger than %d MiB", MaxDocument>>20)
	case bytes.IndexByte(body, 0) >= 0:
		return "", badDocument("it is not a text")
	case body[0] == '<':
		return "", badDocument("it is an HTML or XML page, mostly an error page or a portal in between")
	case (body[0] == '{' || body[0] == '[') && !unitFile.Match(body):
		value, err := decode(body)
		if err != nil {
			// Not launch settings either: half a number in it would be taken
			// for a whole one.
			return "", err
		}
		return n.readJSON(where, value, body)
	case isMetrics(body):
		return docMetrics, n.readMetrics(where, body)
	}
	if kind, ok := n.readLaunch(where, body); ok {
		return kind, nil
	}
	return "", badDocument("it is neither an engine's answer, nor a metrics page, nor launch settings of a known engine")
}

// unitFile begins a unit of systemd or a file like it: [Service].
var unitFile = regexp.MustCompile(`^\[[A-Za-z][A-Za-z ]*\]\s*\n`)

// readJSON tells documents apart by their keys.
func (n *Node) readJSON(where string, value any, body []byte) (documentKind, error) {
	if list, ok := value.([]any); ok {
		return n.readList(where, list)
	}
	o, ok := value.(object)
	switch {
	case !ok:
		return "", badDocument("it is a bare value")
	case o.has("max_total_num_tokens") || o.has("max_req_input_len") || o.has("disaggregation_mode"):
		return docServerInfo, n.readServerInfo(where, o)
	case o.has("default_generation_settings"):
		return docProps, n.readProps(where, o)
	case o.has("model_info"):
		return docShow, n.readShow(where, "", o)
	case o.has("data"):
		return docModels, n.readModels(where, o)
	case o.has("models"):
		return docRunning, n.readRunning(where, o)
	case o.has("error") || o["object"] == "error" || o.has("detail"):
		return "", badDocument("it is an error: %s", o.errorText())
	case o.has("version") && len(o) == 1:
		return docVersion, n.readVersion(where, o)
	}
	if kind, ok := n.readLaunch(where, body); ok {
		return kind, nil
	}
	return "", badDocument("it is JSON without any key of a known engine")
}

func (n *Node) readList(where string, list []any) (documentKind, error) {
	for _, e := range list {
		o, ok := e.(object)
		if !ok {
			return "", badDocument("it is a list of something else than objects")
		}
		switch {
		case o.has("kvCacheStats") || o.has("iterLatencyMS"):
			return docIterations, n.readIterations(where, list)
		case o.has("n_ctx"):
			return docSlots, n.readSlots(where, list)
		}
	}
	if len(list) == 0 {
		// TensorRT-LLM, when nothing ran since the last read: no fact, and no
		// problem. What is missing is missed by the judgements.
		return docIterations, nil
	}
	return "", badDocument("it is a list without any key of a known engine")
}

// object is a JSON object. Numbers are json.Number.
type object map[string]any

// mostNesting bounds the depth of a JSON document.
const mostNesting = 64

// decode reads one JSON value, and nothing after it.
func decode(body []byte) (any, error) {
	if depth(body) > mostNesting {
		return nil, badDocument("it is JSON nested deeper than %d", mostNesting)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, badDocument("it is JSON that ends early or is broken: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, badDocument("something follows the JSON")
	}
	return objects(v), nil
}

// objects gives the maps of v their type.
func objects(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = objects(e)
		}
		return object(v)
	case []any:
		for i, e := range v {
			v[i] = objects(e)
		}
	}
	return v
}

// depth is how deep brackets nest, strings left out.
func depth(body []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// has reports whether the key is there, null or not.
func (o object) has(key string) bool { _, ok := o[key]; return ok }

// object is the object of that key, nil if there is none.
func (o object) object(key string) object {
	sub, _ := o[key].(object)
	return sub
}

// list is the list of that key, at most as long as any engine's.
func (o object) list(key string) []any {
	l, _ := o[key].([]any)
	return l[:min(len(l), mostFacts)]
}

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

// flag is the yes or no of that key, if it is one.
func (o object) flag(key string) (yes, ok bool) {
	yes, ok = o[key].(bool)
	return yes, ok
}

// mostTokens bounds a number of tokens: more is no number of tokens.
const mostTokens = 1e15

// count is the number of that key. Absent and null are no number; anything
// else that is not a positive whole number is an error, because to go on
// without it could make a broken answer look sound.
func (o object) count(key string) (n int64, ok bool, err error) {
	v := o[key]
	if v == nil {
		return 0, false, nil
	}
	num, isNumber := v.(json.Number)
	if !isNumber {
		return 0, false, badDocument("%s is not a number", key)
	}
	f, err := num.Float64()
	if err != nil || f != float64(int64(f)) || f < 1 || f > mostTokens {
		return 0, false, badDocument("%s is %s, not a number of tokens", key, num)
	}
	return int64(f), true, nil
}

// addCount adds the fact of a number, if there is one.
func (n *Node) addCount(o object, key string, f Fact) error {
	c, ok, err := o.count(key)
	if ok {
		f.Value = Count(c)
		if f.Field == "" {
			f.Field = key
		}
		n.add(f)
	}
	return err
}

// addFlag adds the fact of a yes or no, if there is one; inverted where the key
// says the opposite of the fact.
func (n *Node) addFlag(o object, key string, name Name, where string, inverted bool) {
	if yes, ok := o.flag(key); ok {
		n.add(Fact{Name: name, Value: Flag(yes != inverted), Where: where, Field: key})
	}
}

// addText adds the fact of a text, if there is one.
func (n *Node) addText(o object, key string, name Name, where string) {
	if s := o.text(key); s != "" {
		n.add(Fact{Name: name, Value: Text(s), Where: where, Field: key})
	}
}

// setEngine notes the engine that a document betrays.
func (n *Node) setEngine(engine, where, field string) {
	n.add(Fact{Name: Engine, Value: Text(engine), Where: where, Field: field})
}

// errorText is what an error body says, in any of the shapes engines use.
func (o object) errorText() string {
	for _, key := range []string{"message", "error", "detail"} {
		switch v := o[key].(type) {
		case string:
			return v
		case object:
			return v.errorText()
		}
	}
	return strings.TrimSpace("no text " + o.text("type"))
}
