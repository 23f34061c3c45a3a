package provider

import (
	"context"
	"io"
	"net/http"
)

// Record reads a recorded answer under the limits, as Exchange reads a live
// one. It has no times and no connection.
func Record(status int, header http.Header, body io.Reader, l Limits) *Response {
	l = l.OrDefault()
	resp := &Response{Status: status, Header: header}
	if header == nil {
		resp.Header = http.Header{}
	}
	reader := bodyReader{limits: l}
	if err := reader.read(resp, body); err != nil {
		resp.Failure, resp.Extra = failureOf(context.Background(), err, l, awaitedEnd)
	}
	return resp
}

// Malformed is the failure of an answer that is none of the API's: a page of
// a gateway, a text, another format.
func Malformed(header http.Header, body []byte) *Failure {
	return &Failure{
		Kind:    FailureMalformed,
		Message: "not an answer of this API: " + plainText(header.Get("Content-Type"), body),
	}
}
