package openaichat

import (
	"net/http"
	"slices"
	"strings"
)

// identityHeaders tell who answered, or whether anybody did: a gateway may
// have answered from a cache.
var identityHeaders = []string{
	"Server", "Via", "Age", "X-Cache", "X-Served-By", "X-Request-Id", "Request-Id", "Cf-Ray", "Cf-Ai-Req-Id",
	"Cf-Aig-Cache-Status", "Apim-Request-Id", "X-Ms-Region", "X-Ms-Deployment-Name", "Azureml-Model-Session",
	"Azureml-Model-Group", "Openai-Organization", "Openai-Project", "Openai-Version", "X-Generation-Id",
	"X-Litellm-Call-Id", "X-Litellm-Model-Id", "X-Litellm-Model-Api-Base", "X-Litellm-Attempted-Fallbacks",
	"X-Litellm-Attempted-Retries", "X-Litellm-Cache-Key", "X-Litellm-Version", "Llm_provider-X-Request-Id",
	"X-Portkey-Provider", "X-Portkey-Cache-Status", "X-Portkey-Trace-Id", "X-Compute-Type",
}

// identity keeps the headers that tell who answered, by lower-case name.
func (r *reading) identity() {
	for name, values := range r.resp.Header {
		if slices.Contains(identityHeaders, http.CanonicalHeaderKey(name)) {
			r.setIdentity(strings.ToLower(name), strings.Join(values, ", "))
		}
	}
}

// setIdentity keeps one hint.
func (r *reading) setIdentity(name, value string) {
	if r.resp.Identity == nil {
		r.resp.Identity = make(map[string]string)
	}
	r.resp.Identity[name] = strings.ToValidUTF8(value, "\uFFFD")
}
