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
		n.addText(model, "name", Model, where)
		f := Fact{Name: Window, Of: clean(model.text("name")), Unit: "tokens", Where: where, Field: fmt.Sprintf("models[%d].context_length", i)}
		if err := n.addCount(model, "context_length", f); err != nil {
			return err
		}
	}
	return nil
}

// readShow reads /api/show of a model: the window it was trained for, which
// clients take for the one they get, and the one its model file sets.
func (n *Node) readShow(where, model string, o object) error {
	n.setEngine(Ollama, where, "model_info")
	info := o.object("model_info")
	arch := info.text("general.architecture")
	if arch != "" {
		f := Fact{Name: Trained, Of: clean(model), Unit: "tokens", Where: where, Field: "model_info." + clean(arch) + ".context_length"}
		if err := n.addCount(info, arch+".context_length", f); err != nil {
			return err
		}
	}
	for line := range strings.Lines(o.text("parameters")) {
		fields := strings.Fields(line)
		if len(fields) == 2 && fields[0] == "num_ctx" {
			f := Fact{Name: Configured, Of: clean(model), Unit: "tokens", Where: where, Field: "parameters num_ctx"}
			return n.addCount(object{"num_ctx": json.Number(fields[1])}, "num_ctx", f)
		}
	}
	return nil
}
