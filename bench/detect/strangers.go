package detect

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"crosstalk/tenants"
)

// strangerForms are paragraphs as people send them to models, with %N for a
// name, %P for a place, %D for a number.
func strangerForms() []string {
	return []string{
		"Dear Ms %N, thank you for the viewing in %P yesterday. We would like to offer %D thousand for the bungalow, provided that the roof is mended before winter and that the garden shed stays. Our solicitor can exchange contracts by the end of the month.",
		"The patient, %N, is a %D year old cyclist who fell on ice near %P. The wrist is swollen, pulses are normal, and the film shows a fracture of the distal radius. Plan: cast for six weeks, painkillers, review by the orthopaedic team.",
		"Knead the dough until it no longer sticks, let it rise under a damp cloth for %D minutes, roll it thin, and bake it on a hot stone. Brush the crust with garlic butter and scatter fresh rosemary from the market in %P over the top.",
		"My landlord %N in %P refuses to repair the boiler. It has been cold for %D days, the children are coughing, and the agency hangs up whenever I ring. Can I withhold the rent, or will they evict us before Christmas?",
		"SELECT orders.customer, warehouses.city, SUM(orders.gross) FROM orders JOIN warehouses ON warehouses.id = orders.warehouse WHERE warehouses.city = '%P' AND orders.week = %D GROUP BY orders.customer ORDER BY SUM(orders.gross) DESC",
		"func (p *pool) borrow(ctx context.Context) (*conn, error) { select { case c := <-p.idle: metrics.Hits.Inc(); return c, nil; case <-ctx.Done(): return nil, fmt.Errorf(\"borrow socket from %P: %w\", ctx.Err()) } } // ticket %D, %N",
		"Glaciers grind the bedrock beneath them into fine flour, which rivers carry to the lakes below %P and which scatters blue light. After %D centuries of warming the ice retreats uphill and leaves moraines, kettle ponds and polished granite behind.",
		"Lieber %N, die Miete für die Werkstatt in %P wird ab Januar um %D Euro erhöht. Der Vermieter verlangt außerdem, dass wir den Hof räumen und die Garage neu streichen. Ruf mich bitte nach der Probe an, bevor wir unterschreiben.",
		"Ma mère, %N, vit seule à %P depuis %D ans et tombe souvent la nuit. Le médecin propose une infirmière, mais elle refuse toute visite. Faut-il demander une tutelle, ou vendre l'appartement et chercher une maison de retraite ?",
		"Мой поезд из города %P опоздал на %D минут, и я пропустила пересадку. Проводник %N обещал вернуть деньги, однако касса отказывается принимать билет. Куда жаловаться, если чемодан тоже потеряли на вокзале?",
		"我们公司打算在%P开一家面馆，预算%D万元，店面租金每月两万，厨师由%N介绍。请帮我写一份开业计划，包括装修、采购、招聘和宣传，并估算半年内能否收回成本。",
	}
}

// stranger is a text of somebody who has nothing to do with us.
func stranger(r *rand.Rand) string {
	forms := strangerForms()
	text := pick(r, forms...)
	return strings.NewReplacer(
		"%N", pick(r, "Ingrid Solberg", "Malik Farouk", "Petra Lindqvist", "Owen Castellano", "Yuki Tanabe"),
		"%P", pick(r, "Ljubljana", "Aberdeen", "Salta", "Kumasi", "Bruges"),
		"%D", fmt.Sprint(3+r.IntN(90)),
	).Replace(text)
}

// contentRows are class E: somebody else's content, whose donor is not ours or
// is our own other request.
func contentRows() []transform {
	const class = "E somebody else's answer"
	return []transform{
		{class: class, name: "a stranger's text alone", want: foreign, kinds: []string{"contact/no_contact"}, bar: known, change: content(func(s *sound, _ string) string {
			return stranger(s.r)
		})},
		{class: class, name: "a stranger's text behind the answer", want: spoilt, bar: 0.95, change: content(func(s *sound, text string) string {
			return text + "\n\n" + stranger(s.r)
		})},
		{class: class, name: "a stranger's text before the answer", want: spoilt, bar: 0.95, change: content(func(s *sound, text string) string {
			return stranger(s.r) + "\n" + text
		})},
		{class: class, name: "a stranger's text spliced in", want: spoilt, bar: 0.95, change: content(func(s *sound, text string) string {
			at := strings.Index(text, "\n")
			return text[:at] + "\n" + stranger(s.r) + text[at:]
		})},
		{class: class, name: "a stranger's text as reasoning", want: spoilt, bar: 0.95, change: func(s *sound) {
			s.reply.Reasoning = stranger(s.r)
		}},
		{class: class, name: "a stranger's text in a second choice", want: spoilt, bar: 0.95, change: func(s *sound) {
			s.raw(fmt.Sprintf(`{"id":"c1","object":"chat.completion","model":"model","choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"},{"index":1,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":%s}`,
				quoted(s.reply.Content), quoted(stranger(s.r)), s.usage()))
		}},
		{class: class, name: "our answer to an earlier request", want: damaged, kinds: []string{"stalemarker/stale_marker", "stalemarker/stale"}, bar: known, change: content(func(s *sound, _ string) string {
			return s.old.prompt.Expected()
		})},
		{class: class, name: "an apology for ever", want: lawful, change: content(func(s *sound, _ string) string {
			return "Sorry, something went wrong while I was working on your request. Please try again in a moment."
		})},
	}
}

// leakRows are what must be proved and attributed.
func leakRows() []transform {
	const class = "leak"
	other := func(s *sound) tenants.Payload { return s.other.payload }
	row := func(name string, bar float64, f func(s *sound, text string) string) transform {
		return transform{class: class, name: name, want: leak, bar: bar, from: other, change: content(f)}
	}
	beside := func(f func(s *sound, seal string) string) func(*sound, string) string {
		return func(s *sound, text string) string { return text + "\n" + f(s, s.seal(s.other)) }
	}
	return []transform{
		row("the whole answer of another tenant", 1, func(s *sound, _ string) string { return s.other.prompt.Expected() }),
		row("a whole seal", 1, beside(func(_ *sound, seal string) string { return seal })),
		row("upper-cased", known, beside(func(_ *sound, seal string) string { return strings.ToUpper(seal) })),
		row("reflowed", known, beside(func(s *sound, seal string) string { return s.reflow(seal) })),
		row("hyphenated at a line end", known, beside(func(s *sound, seal string) string { return s.hyphenate(seal) })),
		row("zero-width characters inside", known, beside(func(s *sound, seal string) string {
			at := 1 + s.r.IntN(len(seal)-1)
			return seal[:at] + pick(s.r, "\u200b", "\u200d", "\u00ad", "\u2060") + seal[at:]
		})),
		row("one edit", known, beside(func(s *sound, seal string) string { return s.oneEdit(seal) })),
		row("in bullets and emphasis", known, beside(func(_ *sound, seal string) string { return "- **" + seal + "**" })),
		{class: class, name: "in the reasoning", want: leak, bar: 1, from: other, change: func(s *sound) {
			s.reply.Reasoning = "The document says " + s.seal(s.other) + ", so that is the first one."
		}},
		{class: class, name: "in tool arguments", want: leak, bar: 1, from: other, change: func(s *sound) {
			s.tool("list", `{"seal": "`+s.seal(s.other)+`"}`)
		}},
		row("a passage around a locator", 1, func(s *sound, text string) string { return text + "\n" + s.passage(1) }),
		row("a passage as the whole answer", 1, func(s *sound, _ string) string { return s.passage(1) }),
		{class: class, name: "eight words of a seal", want: suspect, bar: 1, change: eightWords},
		{class: class, name: "base64", want: leak, bar: known, from: other, change: content(beside(func(_ *sound, seal string) string { return encode64(seal) }))},
		{class: class, name: "JSON-escaped", want: leak, bar: known, from: other, change: content(beside(func(_ *sound, seal string) string { return escaped(seal) }))},
		{class: class, name: "16 words without a locator", want: suspect, bar: known, change: content(func(s *sound, text string) string {
			return text + "\n" + s.untagged(16)
		})},
		{class: class, name: "two seals interleaved word by word", want: suspect, bar: known, change: content(func(s *sound, text string) string {
			m := s.other.prompt.Markers()
			return text + "\n" + interleaved(m[0].Text, m[1].Text)
		})},
	}
}
