package simulator

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// What the API sends, in the order of its fields. The shapes are those of an
// SGLang server.

type message struct {
	Role      string  `json:"role,omitempty"`
	Content   *string `json:"content"`
	Reasoning *string `json:"reasoning_content,omitempty"`
	Thinking  *string `json:"reasoning,omitempty"`
}

// put sets the reasoning text in the field that the profile names.
func (m *message) put(field, reasoning string) {
	if reasoning == "" {
		return
	}
	if field == "reasoning" {
		m.Thinking = &reasoning
		return
	}
	m.Reasoning = &reasoning
}

type choice struct {
	Index   int      `json:"index"`
	Message *message `json:"message,omitempty"`
	Delta   *message `json:"delta,omitempty"`
	Finish  *string  `json:"finish_reason"`
}

type usage struct {
	Prompt     int      `json:"prompt_tokens"`
	Total      int      `json:"total_tokens"`
	Completion int      `json:"completion_tokens"`
	Details    *details `json:"prompt_tokens_details"`
	Reasoning  int      `json:"reasoning_tokens"`
}

type details struct {
	Cached int `json:"cached_tokens"`
}

type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

// chunk is a completion in a stream: its usage is null until the last one.
type chunk struct {
	completion
	Usage *usage `json:"usage"`
}

// engineError is the flat error object of the engine.
type engineError struct {
	Object  string  `json:"object"`
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    int     `json:"code"`
}

// gatewayError is the nested error object of a gateway.
type gatewayError struct {
	Error gatewayErrorBody `json:"error"`
}

type gatewayErrorBody struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// An error here is the client's going away; there is nobody to tell.
	_ = json.NewEncoder(w).Encode(value)
}

func writeEngineError(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, engineError{Object: "error", Message: text, Type: "BadRequestError", Code: status})
}

func writeGatewayError(w http.ResponseWriter, status int, kind, code, text string) {
	writeJSON(w, status, gatewayError{gatewayErrorBody{Message: text, Type: kind, Code: code}})
}

// writePage answers as a reverse proxy does, with a page of HTML.
func writePage(w http.ResponseWriter, status int, title string) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<html>\r\n<head><title>%s</title></head>\r\n<body>\r\n<center><h1>%s</h1></center>\r\n<hr><center>nginx/1.26.2</center>\r\n</body>\r\n</html>\r\n", title, title)
}
