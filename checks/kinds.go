package checks

// All lists every check in the order reports show them. Adding a check is a
// file, a folder of vectors, a runbook and a line here.
func All() []Check {
	return []Check{
		foreignMarker{},
		foreignFragment{},
		foreignFact{},
		swapCheck{},
		contactCheck{},
		foreignContent{},
		recallCheck{},
		answerCheck{},
		staleMarker{},
		prefillrateCheck{},
		usageCheck{},
		overlengthCheck{},
		repetitionCheck{},
		scriptCheck{},
		encodingCheck{},
		markupCheck{},
		emptyCheck{},
		toolcallCheck{},
		finishCheck{},
		streamCheck{},
		identityCheck{},
	}
}
