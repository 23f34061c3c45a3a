package preflight

import (
	"encoding/json"
	"fmt"
	"strings"
)

// readRunning reads /api/ps: the models in memory with the window they were
// loaded with. Versions up to 0.6 leave the window out.
func (n *Node) readRunning(where string, o object) error {
	n.setEngine(Ollama, where, "models")
	models := o.list("models")
	for i, m := range models[:min(len(models), mostModels)] {
		model, ok := m.(object)
		if !ok {
			return badDocument("models[%d] is not an object", i)
		}
		name := plainName(model.text("name"))
		if n.only != "" && name != plainName(n.only) {
			continue
		}
		n.addText(model, "name", Model, where)
		f := Fact{Name: Window, Of: name, Unit: "tokens", Where: where, Field: fmt.Sprintf("models[%d].context_length", i)}
		if err := n.addCount(model, "context_length", f); err != nil {
			return err
		}
	}
	return nil
}

// readShow reads /api/show of a model: the window it was trained for, which
// clients take for the one they get, and the one its model file sets.
func (n *Node) readShow(where, model string, o object) error {
	model = plainName(model)
	n.setEngine(Ollama, where, "model_info")
	info := o.object("model_info")
	arch := info.text("general.architecture")
	if arch != "" {
		f := Fact{Name: Trained, Of: model, Unit: "tokens", Where: where, Field: "model_info." + clean(arch) + ".context_length"}
		if err := n.addCount(info, arch+".context_length", f); err != nil {
			return err
		}
	}
	for line := range strings.Lines(o.text("parameters")) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == "num_ctx" {
			f := Fact{Name: Configured, Of: model, Unit: "tokens", Where: where, Field: "parameters num_ctx"}
			return n.addCount(object{"num_ctx": json.Number(fields[1])}, "num_ctx", f)
		}
	}
	return nil
}

// plainName is the name of a model of Ollama without the tag that is meant
// where none is given.
func plainName(name string) string { return strings.TrimSuffix(clean(name), ":latest") }

// ofModel are the facts of that name about one model, or else about none in
// particular.
func (n *Node) ofModel(name Name, model string) []Fact {
	var own, general []Fact
	for _, f := range n.all(name) {
		switch {
		case f.Of == model || model == "":
			own = append(own, f)
		case f.Of == "":
			general = append(general, f)
		}
	}
	if len(own) > 0 {
		return own
	}
	return general
}
