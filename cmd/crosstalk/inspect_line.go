package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/google/uuid"

	"crosstalk/corpus"
	"crosstalk/probes"
	"crosstalk/probes/provider"
)

// inspectIn is a line of a recording.
type inspectIn struct {
	ID           json.RawMessage `json:"id"`
	Text         *string         `json:"text"`
	Response     json.RawMessage `json:"response"`
	Reasoning    string          `json:"reasoning"`
	Expected     string          `json:"expected"`
	Prompt       string          `json:"prompt"`
	Usage        *inspectUsage   `json:"usage"`
	FinishReason *string         `json:"finish_reason"`
	MaxTokens    int             `json:"max_tokens"`
	API          string          `json:"api"`
	Task         string          `json:"task"`

	// status is the HTTP status of the response; 0: not recorded, a success.
	status int
	// bare says that the response is what a gateway made of the answer, in
	// which members may be missing that the answer had.
	bare bool
	// choices counts the choices of the response, where a gateway logged it.
	choices int
}

// inspectUsage is usage in the shape of the OpenAI API.
type inspectUsage struct {
	provider.Usage
	PromptDetails struct {
		Cached *int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning *int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// memberError names what is wrong with a line by its members, not by the types
// of this program.
func memberError(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &wrong):
		return err
	case wrong.Field == "":
		return fmt.Errorf("it is a JSON %s: write an object with \"id\" and \"text\" or \"response\"", wrong.Value)
	}
	return fmt.Errorf("%q is a JSON %s and must be %s", wrong.Field, wrong.Value, jsonKind(wrong.Type))
}

// jsonKind is what JSON calls a Go type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	default:
		return "an object"
	}
}

// validate refuses what cannot be judged and remembers what was not understood.
func (i *inspector) validate(line []byte, in *inspectIn) error {
	switch {
	case len(in.ID) == 0 || string(in.ID) == "null":
		return errors.New(`no "id": give each line one, a string or a number`)
	case in.Text == nil && len(in.Response) == 0:
		return errors.New(`neither "text" nor "response": give the answer's content or the provider's raw body`)
	case in.Text != nil && len(in.Response) > 0:
		return errors.New(`both "text" and "response": give one of them`)
	case in.API != "" && !slices.Contains(knownAPIs(), in.API):
		return fmt.Errorf("unknown api %q: use one of %s", in.API, strings.Join(knownAPIs(), ", "))
	case in.MaxTokens < 0:
		return fmt.Errorf("max_tokens is %d: give a positive number or leave it out", in.MaxTokens)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(line, &members); err != nil {
		return fmt.Errorf("read members: %w", err)
	}
	for name := range members {
		if !slices.Contains(inspectMembers, name) {
			i.unknown[name] = true
		}
	}
	return nil
}

var inspectMembers = []string{
	"id", "text", "response", "reasoning", "expected", "prompt", "usage", "finish_reason", "max_tokens", "api", "task",
}

// exchange is the line as the checks see an exchange.
func (in *inspectIn) exchange() (*probes.Exchange, error) {
	resp, err := in.response()
	if err != nil {
		return nil, err
	}
	return &probes.Exchange{
		ID:       uuid.New(),
		Intent:   probes.Intent{Role: probes.RoleMain, MaxTokens: in.MaxTokens, Expect: probes.ExpectAnswer},
		Prompt:   corpus.Text{Prompt: in.Prompt, Answer: in.Expected, Kind: corpus.Task(in.Task)},
		Response: resp,
	}, nil
}

// response is the recorded answer. A line with the text alone says nothing of
// the protocol around it: it is taken to have ended as it should unless it says
// otherwise.
func (in *inspectIn) response() (*provider.Response, error) {
	resp := &provider.Response{Status: http.StatusOK, FinishReason: "stop"}
	if in.Text != nil {
		resp.Content = *in.Text
	} else {
		body := []byte(in.Response)
		var text string
		if json.Unmarshal(in.Response, &text) == nil {
			body = []byte(text)
		}
		var err error
		if resp, err = parseAnswer(in.API, in.httpStatus(), http.Header{}, body); err != nil {
			return nil, fmt.Errorf("read response: %w", err)
		}
		if in.bare {
			relogged(resp)
		}
	}
	if in.Reasoning != "" {
		resp.Reasoning = in.Reasoning
	}
	if in.FinishReason != nil {
		resp.FinishReason = *in.FinishReason
	}
	if in.Usage != nil {
		u := in.Usage.Usage
		if u.Cached == nil {
			u.Cached = in.Usage.PromptDetails.Cached
		}
		if u.Reasoning == nil {
			u.Reasoning = in.Usage.CompletionDetails.Reasoning
		}
		resp.Usage = &u
	}
	return resp, nil
}

func (in *inspectIn) httpStatus() int {
	if in.status == 0 {
		return http.StatusOK
	}
	return in.status
}

// relogged leaves out of a response what a gateway's log cannot tell. Gateways
// write anew what they log: members go missing or are added, streams are joined.
// So a member that is missing or unknown is the log's and not the answer's, and
// says nothing of the protocol.
func relogged(r *provider.Response) { r.Problems = nil }
