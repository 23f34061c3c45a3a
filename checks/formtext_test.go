package checks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLawfulOpenText holds texts that people and healthy models write, and that
// naive rules take for damage.
func TestLawfulOpenText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"divider":        "Summary\n" + strings.Repeat("=", 120) + "\nAll is well.",
		"leaders":        "Chapter one " + strings.Repeat(".", 60) + " 12",
		"excited":        "Wow!!!!!!!!! That is great!!!!!!",
		"scream":         "Nooooooooooooo! he cried.",
		"zero id":        "The id is 00000000-0000-0000-0000-000000000000.",
		"zero hash":      "Block 0000000000000000000000000000000000000000000000000000000000000000 is first.",
		"base64":         "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAGGZvb2Jhcm1vcmVkYXRhaGVyZWFuZHRoZXJlYWdhaW5hbmRhZ2Fpbg==",
		"dna":            "The read is GGGGGCGGGGAAAAAAAAAAAAAAAAAAAAAAAAAACCGTACCGTTGACCATTGACCGGTTACGTTAGC, with a long tail.",
		"emoji":          "Great work " + strings.Repeat("🎉", 30),
		"diff":           "@@ -1,3 +1,4 @@\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main",
		"date mask":      "Use ????-??-?? for unknown dates???",
		"table":          "| a | ok? |\n|---|---|\n" + strings.Repeat("| x | Yes |\n", 12),
		"wide row":       "| r | " + strings.Repeat("Yes | ", 20),
		"matrix":         strings.Repeat("0, ", 40) + "0",
		"chorus":         "Let it be, let it be, let it be, let it be\nWhisper words of wisdom, let it be",
		"refrain":        "Row, row, row your boat,\nGently down the stream.\nMerrily, merrily, merrily, merrily,\nLife is but a dream.",
		"litany":         "Saint Anne,\npray for us.\nSaint John,\npray for us.\nSaint Mark,\npray for us.\nSaint Luke,\npray for us.",
		"legal prose":    "arising out of and in connection with the sale of and the title to the whole of the goods, the of-counsel said",
		"commands":       "make test\nmake test\nmake test\nmake test",
		"laughter":       "hahahahahahaha, ha ha ha ha ha!",
		"inserts":        "INSERT INTO t VALUES (1, 'a');\nINSERT INTO t VALUES (2, 'b');\nINSERT INTO t VALUES (3, 'c');\nINSERT INTO t VALUES (4, 'd');",
		"errors in go":   strings.Repeat("if err != nil {\n\treturn err\n}\n", 4) + "return nil",
		"kyoto":          "The old name of Kyoto is 京都 in Japanese, and Moscow is Москва in Russian.",
		"units":          "The gap is 12 μm, the shift Δp is small, and R is 40 Ω.",
		"hello":          "Hello in other languages: Привет, 你好, こんにちは, 안녕하세요, สวัสดี.",
		"chinese":        "我用iPhone手机打开了Windows系统，然后用Python写了一个程序。",
		"russian":        "Команда git push отправляет изменения на сервер, а git pull получает их.",
		"bilingual":      "The word спасибо means thank you. The word хлеб means bread.",
		"french":         "À côté d’une forêt, l’élève « naïf » mange du gâteau à Noël.",
		"maltese":        "Il-Ġimgħa Ġorġ mar Ġgantija u ltaqa' ma' Ġanni.",
		"bars":           "Load: ▁▂▃▄▅▆▇█▇▆▅▄▃▂▁",
		"explains fffd":  "A byte that cannot be decoded is shown as � (U+FFFD).",
		"explains moji":  "Then é is shown as Ã© and the quote as â€™ on the page.",
		"url":            "https://example.com/averylongpathwithoutanyspaceatallinitandsomemorewordsgluedtogetherhere",
		"fenced harmony": "The format is:\n```\n<|start|>assistant<|channel|>final<|message|>Hi<|end|>\n```\nwhere each part has a role.",
		"tick harmony":   "End each turn with `<|im_end|>` and begin with `<|im_start|>`.",
		"names pad":      "Batches are filled with the <pad> token, and the <mask> token hides a word.",
		"named in run":   "Use the <|endoftext|> token as a separator.",
		"css":            "Set padding: 4px; and <s>old price</s> is struck through.",
		"norm":           "Then ‖x‖ <= ‖y‖ and |x| < |y|, so a <| b |> c in F#.",
		"xml":            "```xml\n<invoke name=\"a\"><parameter name=\"b\">c</parameter></invoke>\n```",
		"play":           "Human: Who goes there?\nAssistant: A friend.\nHuman: Pass, friend.",
		"indent":         "{\n" + strings.Repeat(" ", 40) + "\"deep\": 1\n}",
		"analysis":       "analysis of the results shows growth; commentary follows.",
		"think tag":      "Models write `<think>` before they reason.",
		"generics":       "Use Map<String, List<s>> here, or Array<T>.",
		"prose":          cleanText()[:4000],
	} {
		for rule, flaws := range formRules() {
			for _, f := range flaws(formText{text: text, channel: ChannelContent}) {
				t.Errorf("%s: %s/%s at %d: %s", name, rule, f.kind, f.start, f.detail)
			}
		}
		if start, end := longestBlank(text, maxBlankRunOpen, maxLineFeedsOpen); end > start {
			t.Errorf("%s: blank run of %d", name, end-start)
		}
	}
}

// TestDamagedOpenText holds shapes of damage from public reports, retold: each
// must be seen without any knowledge of the right answer.
func TestDamagedOpenText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"nan row", strings.Repeat("!", 150), "repetition/run"},
		{"aborted at 31", "Sure, the capital you asked about is " + strings.Repeat("@", 31), "repetition/run"},
		{"a letter", strings.Repeat("G", 31) + "\n" + strings.Repeat("G", 31), "repetition/run"},
		{"one word", strings.Repeat(" the", 28), "repetition/cycle"},
		{"one foreign word", strings.TrimSpace(strings.Repeat("который ", 6)), "repetition/cycle"},
		{"a sentence", "Long ago a girl owned a robot. " + strings.Repeat("The robot smiled at her. ", 3), "repetition/cycle"},
		{"a phrase", strings.Repeat("the configuration of the service of ", 3) + "the", "repetition/cycle"},
		{"a page", strings.Repeat("def add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b\n\ndef mul(a, b):\n    return a * b\n\n", 5), "repetition/cycle"},
		{"function words", "the the harbour of the of and of in of the to and of of the in of and of the of the in", "repetition/salad"},
		{"articles", "the the the a a the the a a the the a", "repetition/salad"},
		{"unused vocabulary", "The router keeps one lease and renews it at half of the " + strings.Repeat("<unused24>", 12), "markup/vocabulary repetition/cycle"},
		{"padding", strings.Repeat("<pad>", 12), "markup/vocabulary repetition/cycle"},
		{"glued script", "The relief opens at 44; see drawingНомер 7 for the torque table.", "script/mixed_scripts"},
		{"salad", "Der code ist 七 apples که the 그래서 value of при needle है the 14 ouvrir", "script/mixed_scripts"},
		{"cut characters", "很抱歉，我没有办法��看实时数据，请您��查当地的气象网站。", "encoding/replacement"},
		{"cut once", "报价明细：�单价 12 元，合计 48 元", "encoding/replacement"},
		{"byte level blanks", "Sure!ĠHereĠisĠtheĠshortĠanswerĠyouĠaskedĠfor.ĊBye", "encoding/glyphs"},
		{"no blanks", "Sureherearethethreepointsyouaskedforfirstthepumpmovesheatsecondthefilterkeepsthewaterclean", "encoding/unspaced"},
		{"double blanks", "The  pump  moves  heat  and  the  filter  keeps  the  water  clean  all  day", "encoding/double_spaced"},
		{"misread", "Le cafÃ© est fermÃ© jusquâ€™Ã  lundi.", "encoding/mojibake"},
		{"harmony", `<|channel|>commentary<|message|>{"dir":"/"}<|end|>`, "markup/template"},
		{"bare harmony", "analysisThe user wants the sum.assistantfinalThe sum is 41.", "markup/harmony"},
		{"full-width bars", "The report is ready.<｜begin▁of▁sentence｜> I will send it.", "markup/template"},
		{"dsml", `ok <｜｜DSML｜｜parameter name="q">tides`, "markup/template"},
		{"double bar", "ok <‖DSML‖tool_calls>", "markup/template"},
		{"tool call", "<invoke name=\"Bash\">\n<parameter name=\"command\">make test</parameter>\n</invoke>", "markup/tool_markup"},
		{"closing thought", "so the answer is 41.\n</think>\n\nThe answer is 41.", "markup/thinking"},
		{"end of sentence", "The sum is 41.</s>", "markup/vocabulary"},
	} {
		got := []string{}
		for _, rule := range []string{"markup", "repetition", "script", "encoding"} {
			for _, f := range formRules()[rule](formText{text: tt.text, channel: ChannelContent}) {
				got = append(got, rule+"/"+f.kind)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestFindLoops(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		want       []loop
	}{
		{"short", "abcabcabc", nil},
		{"no loop", cleanText()[:4000], nil},
		{"whole", strings.Repeat("abc", 10), []loop{{0, 30, 3}}},
		{"after a head", "A fine head. " + strings.Repeat("over and out ", 5), []loop{{12, 78, 13}}},
		{"in the middle", "head: " + strings.Repeat("lorem ipsum dolor ", 4) + "!tail", []loop{{5, 78, 18}}},
		{"a long period", strings.Repeat(cleanText()[:5000], 3), []loop{{0, 15000, 5000}}},
		{"two copies", strings.Repeat("a passage of some length, once more. ", 2), []loop{{0, 74, 37}}},
		{"a copy and a half", strings.Repeat("a passage of some length, once more. ", 2)[:60], nil},
	} {
		if diff := cmp.Diff(tt.want, findLoops(tt.text), cmp.AllowUnexported(loop{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestIDBits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		id     string
		random bool
	}{
		{"chatcmpl-194", false},
		{"chatcmpl-0000000000000000000000000194", false},
		{"20241130195635", false},
		{"resp_1", false},
		{"", false},
		{"chatcmpl-AbC12xYz89LmNoPqRsTuVw", true},
		{"0f8fad5b-d9cb-469f-a165-70867728950e", true},
		{"cmpl-6b3f0c5d9e8a4f21b7c6d5e4f3a2b1c0", true},
		{"gen-1732996595-Qx7LmB2vRk9TzYwP4sHd", true},
	} {
		if got := idBits(tt.id) >= minIDBits; got != tt.random {
			t.Errorf("%q has %.0f bits, random: want %v", tt.id, idBits(tt.id), tt.random)
		}
	}
}
