package checks

import (
	"encoding/json"
	"regexp"
	"strings"

	"crosstalk/probes/provider"
)

// manner is how a target answers, where it does not give an answer.
type manner uint8

const (
	answering manner = iota
	refusing         // it will not, for reasons of policy
	failing          // an error text where an answer should be
	denying          // it says that there is nothing to answer
)

// The forms are matched against single folded sentences.
var (
	refusalForm = regexp.MustCompile(
		`\b(?:can't|cannot|can not|won't|will not|unable to|not able to|not going to|must decline|have to decline)\b.{0,40}\b(?:help|assist|comply|fulfil|fulfill|provide|share|continue|engage|disclose|reveal|process|respond|do that|support|create|generate|reproduce|repeat|extract|discuss|copy)` +
			`|\b(?:against|violates?|violating|violation of|not allowed by|prohibited by|comply with) (?:my|our|the|its)? ?(?:\w+ )?(?:guidelines|policy|policies|rules|terms)` +
			`|\b(?:content|usage|safety) (?:policy|policies|filter)` +
			`|\bas an ai\b.{0,40}\b(?:cannot|can't|not able|unable)` +
			`|\bi must (?:respectfully )?(?:decline|refuse)` +
			`|\b(?:ich kann|kann ich) .{0,60}\bnicht (?:helfen|nachkommen|weitergeben|beantworten)` +
			`|\bje ne peux pas (?:vous )?(?:aider|répondre|fournir)` +
			`|\bno puedo (?:ayudar|ayudarte|cumplir|proporcionar|responder)` +
			`|我(?:无法|不能)(?:提供|协助|帮助|回答|满足)|(?:お手伝い|お答え|対応)(?:は)?できません`)
	errorForm = regexp.MustCompile(
		`\bsomething went wrong\b|\b(?:internal server|server|gateway|upstream|connection|unexpected|network) error\b|\berror occurred\b|\b(?:service|server|model|endpoint) (?:is )?(?:temporarily |currently )?(?:unavailable|overloaded|busy)` +
			`|\b(?:bad gateway|gateway time-?out|service unavailable|too many requests|rate limit|request timed out|timed out)\b` +
			`|\btry (?:again|your request again)\b|<!doctype html|<html|<title>\s*\d{3}\b`)
	// lackForm says outright that something is not there. "Unable to share what
	// appears in it" does not: ability goes with finding only, and whatever is
	// not provided stands close to its not.
	lackForm = regexp.MustCompile(
		`\b(?:cannot|can't|can not|couldn't|could not|unable to|not able to)\b.{0,20}\b(?:find|see|locate|identify|detect)\b` +
			`|\b(?:no|not|none|never|doesn't|didn't|don't|wasn't|weren't|isn't|aren't|without)\b.{0,20}\b(?:find|found|see|seen|locate|located|identify|detect|contain|contains|include|includes|included|provided|present|attached|shared|appear|appears|received?)\b` +
			`|\bthere (?:is|are|was|were|seems? to be|appears? to be) (?:no|not|none)\b|\bthere (?:isn't|aren't|wasn't|weren't)\b`)
	denialForm = regexp.MustCompile(
		`\b(?:no|not|none|nothing|any|zero|without|cannot|can't|couldn't|could not|unable|doesn't|didn't|don't|isn't|aren't|wasn't|weren't|missing|absent)\b.{0,80}\b(?:seals?|sealed|phrases?|markers?|codes?|documents?|text|content|files?|attachments?|message|input|lines?)\b` +
			`|\b(?:seals?|phrases?|markers?|codes?|documents?)\b.{0,60}\b(?:no|not|none|missing|absent|empty|cannot|can't|couldn't|doesn't|don't|isn't|aren't|wasn't|weren't)\b` +
			`|\bnot sure what you\b|\b(?:please|could you) (?:provide|share|paste|upload|attach|send|clarify)\b` +
			`|\bhow (?:can|may) i (?:help|assist)\b|\b(?:message|request|prompt|input)\b.{0,30}\b(?:empty|cut off|incomplete|blank)\b` +
			`|\bkeine? (?:\w+ ){0,2}(?:siegel|siegelphrasen|dokument|code)|\b(?:aucun|aucune) (?:\w+ ){0,2}(?:sceau|phrase|document|code)|\b(?:ningún|ninguna|no hay) (?:\w+ ){0,2}(?:sello|sellos|frase|frases|documento|código)` +
			`|(?:没有|未|找不到|不存在|不包含).{0,12}(?:短语|密封|印章|封印|文档|代码)|(?:見つかりません|ありません|含まれていません)`)
)

// maxMannerUnexplained is how many unexplained words a refusal, error text or
// denial may hold: about the words in which it names its reason. A text with
// more is about something else, whatever it says of itself.
const maxMannerUnexplained = 6

// maxManner is the longest text, in bytes, that is looked at for its manner: a
// refusal is some lines long.
const maxManner = 64 << 10

// mannerOf classifies what the target says in place of an answer. Text with a
// part of the answer in it is answering.
func (s *subject) mannerOf() manner {
	if s.manner == nil {
		m := s.classify()
		s.manner = &m
	}
	return *s.manner
}

func (s *subject) classify() manner {
	if s.refusedByAPI() {
		return refusing
	}
	if s.isPage() {
		return failing
	}
	r := s.read(ChannelContent)
	if len(r.text) > maxManner || len(r.words) == 0 || len(r.seals) > 0 || s.contentHolds() || r.stretch().unexplained > maxMannerUnexplained {
		return answering
	}
	forms := []struct {
		form   *regexp.Regexp
		manner manner
	}{{errorForm, failing}, {lackForm, denying}, {refusalForm, refusing}, {denialForm, denying}}
	data := strings.HasPrefix(r.text, "{") && json.Valid([]byte(r.text))
	for _, f := range forms {
		if data && f.manner != failing {
			continue // a record whose fields say "not found" is an answer
		}
		if rest, hit := r.without(f.form); hit && rest < minReadable {
			return f.manner
		}
	}
	return answering
}

// refusedByAPI reports whether the API itself says that it refused.
func (s *subject) refusedByAPI() bool {
	if f := s.r.Failure; f != nil && f.Kind == provider.FailureModeration {
		return true
	}
	switch s.r.FinishReason {
	case "content_filter", "refusal", "safety", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST":
		return true
	}
	return s.r.Refusal != "" && s.r.Content == ""
}

// isPage reports whether the body is a web page: what a proxy or a load
// balancer says of itself, whatever the status.
func (s *subject) isPage() bool {
	if f := s.r.Failure; f == nil || f.Kind != provider.FailureMalformed {
		return false
	}
	head := strings.ToLower(string(s.r.Body[:min(len(s.r.Body), 256)]))
	head = strings.TrimSpace(strings.TrimPrefix(head, "\ufeff"))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html") || strings.HasPrefix(head, "<head")
}

// without counts the readable words outside sentences of a form, and reports
// whether there is any such sentence.
func (r *reading) without(form *regexp.Regexp) (rest float64, hit bool) {
	for _, sen := range r.sentences() {
		if form.MatchString(strings.Join(strings.Fields(fold(r.text[sen.start:sen.end])), " ")) {
			hit = true
		} else if !sen.chatter {
			rest += sen.words
		}
	}
	return rest, hit
}

// sentence is a part of a text between full stops or line ends.
type sentence struct {
	start, end int     // bytes
	words      float64 // that are not of the answer
	chatter    bool    // it only talks about the task, or is polite
}

// sentences splits the text and judges each part.
func (r *reading) sentences() []sentence {
	var all []sentence
	for from := 0; from < len(r.words); {
		to := from + 1
		for to < len(r.words) && !endsSentence(r.text[r.words[to-1].End:r.words[to].Start]) {
			to++
		}
		all = append(all, r.sentence(from, to))
		from = to
	}
	return all
}

// endsSentence reports whether what stands between two words ends a sentence: a
// line end, a stop before a blank, or more than stands between two words.
func endsSentence(between string) bool {
	if len(between) > windowEdge || strings.ContainsAny(between, "\n。！？") {
		return true
	}
	for _, stop := range []string{". ", "! ", "? ", ": ", "; "} {
		if strings.Contains(between, stop) {
			return true
		}
	}
	return false
}

// maxChatterUnexplained is the share of unexplained words in a sentence of
// chatter.
const maxChatterUnexplained = 0.2

func (r *reading) sentence(from, to int) sentence {
	sen := sentence{start: r.words[from].Start, end: r.words[to-1].End}
	if to < len(r.words) {
		sen.end = r.words[to].Start
	} else {
		sen.end = len(r.text)
	}
	if from == 0 {
		sen.start = 0
	}
	core, odd := false, 0.0
	for i := from; i < to; i++ {
		w := r.weight(i)
		switch r.kinds[i] {
		case answerWord:
			continue
		case unexplained:
			if len(r.words[i].Text) < 3 {
				continue // a stump: the short words of languages are in the register
			}
			odd += w
		case coreWord, politeWord, passageWord:
			core = true
		}
		sen.words += w
	}
	sen.chatter = odd <= maxChatterUnexplained*sen.words && (core || sen.words <= 3)
	return sen
}

// readable counts the words of running text that are neither the answer nor
// chatter.
func (r *reading) readable() float64 {
	n := 0.0
	for _, sen := range r.sentences() {
		if !sen.chatter {
			n += sen.words
		}
	}
	return n
}
