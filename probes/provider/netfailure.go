package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// failureOf says why an exchange broke off. The message is one of our own
// sentences: the errors of net/http quote what the peer sent, which may be our
// key or somebody's data. Such text is returned apart, to be searched.
func failureOf(ctx context.Context, err error, l Limits, waited awaited) (*Failure, []Text) {
	if ctx.Err() != nil {
		return endedBy(context.Cause(ctx), l, waited), nil
	}
	kind, message, quoted := describe(err)
	var extra []Text
	if quoted {
		extra = []Text{{Where: WhereTransport, Text: err.Error()}}
	}
	return &Failure{Kind: kind, Message: message}, extra
}

// Overdue is the cause of a context that was ended because the exchange made
// under it took too long. Whoever bounds an exchange so is told of a timeout; a
// context ended for another cause is an exchange cancelled.
type Overdue struct{ After time.Duration }

// Error implements error.
func (o Overdue) Error() string { return "the exchange took longer than " + o.After.String() }

// awaited is what an exchange was waiting for when it broke off.
type awaited string

const (
	awaitedHeader awaited = "no response header"
	awaitedEnd    awaited = "the answer did not end"
)

// endedBy says which timer, or whose will, ended the context.
func endedBy(cause error, l Limits, waited awaited) *Failure {
	f := &Failure{Kind: FailureTimeout}
	var overdue Overdue
	switch {
	case errors.As(cause, &overdue):
		f.Message = string(waited) + " within " + overdue.After.Round(time.Millisecond).String()
	case errors.Is(cause, errWall):
		f.Message = "the exchange was not over within " + l.Wall.String()
	case errors.Is(cause, errFirstByte):
		f.Message = "no response header within " + l.FirstByte.String()
	case errors.Is(cause, errIdle):
		f.Message = "no further byte within " + l.Idle.String()
	case errors.Is(cause, context.DeadlineExceeded):
		f.Message = "the deadline of the run passed"
	default:
		f.Kind, f.Message = FailureCancelled, "cancelled by us"
	}
	return f
}

// describe puts an error of the network into our own words. It reports as
// quoted an error whose text may hold bytes of the peer.
func describe(err error) (kind FailureKind, message string, quoted bool) {
	var (
		dns   *net.DNSError
		errno syscall.Errno
		op    *net.OpError
	)
	switch {
	case errors.Is(err, errBodyLimit), errors.Is(err, errWireLimit):
		return FailureLimit, unwrapped(err), false
	case errors.Is(err, errEncoding), errors.Is(err, errGzip):
		return FailureMalformed, unwrapped(err), false
	case errors.Is(err, io.ErrUnexpectedEOF):
		return FailureTruncated, "the connection closed before the end of the body", false
	case errors.Is(err, io.EOF):
		return FailureNetwork, "the connection closed without an answer", false
	case errors.As(err, &dns) && dns.IsNotFound:
		return FailureNetwork, "no such host", false
	case errors.As(err, &dns):
		return FailureNetwork, "host name could not be looked up", false
	case errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return FailureTimeout, "no connection in time", false
	case errors.As(err, &errno):
		return FailureNetwork, errno.Error(), false
	case isTLS(err) != "":
		return FailureNetwork, isTLS(err), false
	case errors.As(err, &op):
		return FailureNetwork, "network error in " + op.Op, false
	}
	// What is left are net/http's own errors, which have no types.
	text := err.Error()
	switch {
	case strings.Contains(text, "server response headers exceeded"), strings.Contains(text, "header list"):
		return FailureLimit, "the response header is larger than our limit", false
	case strings.Contains(text, "malformed"), strings.Contains(text, "invalid"), strings.Contains(text, "unsupported"),
		strings.Contains(text, "chunk"):
		return FailureMalformed, "not an HTTP response", true
	case strings.Contains(text, "closed"), strings.Contains(text, "connection lost"):
		return FailureNetwork, "the connection closed", false
	}
	return FailureNetwork, "the exchange broke off", true
}

// unwrapped is the text of our own error, without a cause from elsewhere.
func unwrapped(err error) string {
	for _, own := range []error{errBodyLimit, errWireLimit, errEncoding, errGzip} {
		if errors.Is(err, own) {
			return own.Error()
		}
	}
	return "the body could not be read"
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// isTLS describes an error of TLS, "" if it is none.
func isTLS(err error) string {
	var (
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		invalid x509.CertificateInvalidError
		verify  *tls.CertificateVerificationError
		record  tls.RecordHeaderError
		alert   tls.AlertError
	)
	switch {
	case errors.As(err, &unknown):
		return "TLS: certificate signed by an unknown authority"
	case errors.As(err, &host):
		return "TLS: certificate is for another host"
	case errors.As(err, &invalid):
		return "TLS: certificate is expired or not valid"
	case errors.As(err, &verify):
		return "TLS: certificate could not be verified"
	case errors.As(err, &record):
		return "TLS: the target does not speak TLS"
	case errors.As(err, &alert):
		return "TLS: refused by the target"
	case strings.Contains(err.Error(), "tls:"):
		return "TLS: handshake failed"
	}
	return ""
}
