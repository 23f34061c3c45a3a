package preflight

// owners tells engines by the owner that they put into their list of models.
func owners() map[string]string {
	return map[string]string{
		"sglang": SGLang, "vllm": VLLM, "llamacpp": LlamaCpp, "tensorrt_llm": TRTLLM, "library": Ollama,
	}
}

// mostModels bounds how many models of one list are looked at.
const mostModels = 64

// readModels reads /v1/models: of the one model that is looked at, if it is in
// the list, else of all.
func (n *Node) readModels(where string, o object) error {
	models := o.list("data")
	wanted := func(m object) bool { return n.only != "" && plainName(m.text("id")) == plainName(n.only) }
	listed := false
	for _, m := range models {
		model, _ := m.(object)
		listed = listed || wanted(model)
	}
	for _, m := range models[:min(len(models), mostModels)] {
		model, ok := m.(object)
		if !ok {
			return badDocument("a model in data is not an object")
		}
		if listed && !wanted(model) {
			continue
		}
		if err := n.readModel(where, model); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) readModel(where string, m object) error {
	if engine := owners()[m.text("owned_by")]; engine != "" {
		n.setEngine(engine, where, "data[].owned_by")
	}
	n.addText(m, "id", Model, where)
	id := clean(m.text("id"))
	window := Fact{Name: Window, Of: id, Unit: "tokens", Where: where, Field: "data[].max_model_len"}
	if err := n.addCount(m, "max_model_len", window); err != nil {
		return err
	}
	meta := m.object("meta")
	window.Field = "data[].meta.n_ctx"
	if err := n.addCount(meta, "n_ctx", window); err != nil {
		return err
	}
	return n.addCount(meta, "n_ctx_train", Fact{Name: Trained, Of: id, Unit: "tokens", Where: where, Field: "data[].meta.n_ctx_train"})
}

// readVersion reads /version and /api/version.
func (n *Node) readVersion(where string, o object) error {
	if o.text("version") == "" {
		return badDocument("version is not a text")
	}
	n.addText(o, "version", Version, where)
	return nil
}
