package preflight

import "fmt"

// readProps reads /props of llama.cpp. n_ctx there is the window of one slot,
// not of the server: -c 8192 -np 4 makes four windows of 2,048.
func (n *Node) readProps(where string, o object) error {
	n.setEngine(LlamaCpp, where, "default_generation_settings")
	n.addText(o, "build_info", Version, where)
	n.addText(o, "model_alias", Model, where)
	settings := o.object("default_generation_settings")
	window := Fact{Name: Window, Unit: "tokens", Where: where, Field: "default_generation_settings.n_ctx"}
	if err := n.addCount(settings, "n_ctx", window); err != nil {
		return err
	}
	return n.addCount(o, "total_slots", Fact{Name: Slots, Unit: "slots", Where: where})
}

// readSlots reads /slots of llama.cpp: the windows alone. Some versions answer
// with prompts of others in it; they are neither kept nor shown.
func (n *Node) readSlots(where string, slots []any) error {
	n.setEngine(LlamaCpp, where, "[].n_ctx")
	for i, s := range slots[:min(len(slots), mostModels)] {
		slot, ok := s.(object)
		if !ok {
			return badDocument("slot %d is not an object", i)
		}
		f := Fact{Name: Window, Of: fmt.Sprintf("slot %d", i), Unit: "tokens", Where: where, Field: fmt.Sprintf("[%d].n_ctx", i)}
		if err := n.addCount(slot, "n_ctx", f); err != nil {
			return err
		}
	}
	return nil
}
