package crseval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Retries says how often to ask in all, how often where nothing takes the connection, and how long a
// Retry-After is worth waiting for. The zero value means six times, three times (under 3 s) and a minute.
type Retries struct {
	Attempts    int
	Connections int
	Longest     time.Duration
}

func (r Retries) orDefaults() Retries {
	if r.Attempts == 0 {
		r.Attempts = 6
	}
	if r.Connections == 0 {
		r.Connections = 3
	}
	if r.Longest == 0 {
		r.Longest = time.Minute
	}
	return r
}

// Attempt is one attempt of a request, for logs: no body and no key. Status is 0 where no answer came, which Err says;
// Wait is the time until the next attempt, 0 where there is none.
type Attempt struct {
	Method    string
	Path      string
	Number    int
	Took      time.Duration
	Status    int
	RequestID string
	Err       error
	Wait      time.Duration
}

type retriesKey struct{}

// WithRetries gives one request retries of its own: hand the context to it. Its time limit is the context's deadline.
func WithRetries(ctx context.Context, retries Retries) context.Context {
	return context.WithValue(ctx, retriesKey{}, retries.orDefaults())
}

// retrying is a transport that waits out troubles that pass. Every route may be asked again:
// none changes anything.
type retrying struct {
	Retries
	next http.RoundTripper
	hook func(Attempt)
}

// RoundTrip sends the request as often as it takes.
func (r *retrying) RoundTrip(request *http.Request) (*http.Response, error) {
	retries := r.Retries
	if own, given := request.Context().Value(retriesKey{}).(Retries); given {
		retries = own
	}
	for attempt := 1; ; attempt++ {
		begun := time.Now()
		again, err := renewed(request)
		if err != nil {
			return nil, err
		}
		response, err := r.next.RoundTrip(again)
		wait, retry := retries.wait(attempt, response, err)
		if !retry || request.Context().Err() != nil {
			wait, retry = 0, false
		}
		r.tell(Attempt{Method: request.Method, Path: request.URL.Path, Number: attempt, Took: time.Since(begun), Err: err, Wait: wait}, response)
		if !retry {
			return completed(response), err
		}
		if response != nil {
			response.Body.Close()
		}
		if err := pause(request.Context(), wait); err != nil {
			return nil, err
		}
	}
}

func (r *retrying) tell(attempt Attempt, response *http.Response) {
	if r.hook == nil {
		return
	}
	if response != nil {
		attempt.Status, attempt.RequestID = response.StatusCode, response.Header.Get("X-Request-ID")
	}
	r.hook(attempt)
}

func (r Retries) wait(attempt int, response *http.Response, err error) (time.Duration, bool) {
	if attempt >= r.Attempts {
		return 0, false
	}
	if err != nil {
		return backoff(attempt), r.reconnect(attempt, err)
	}
	if !passing(response) {
		return 0, false
	}
	asked, given := retryAfter(response.Header.Get("Retry-After"))
	if !given {
		return backoff(attempt), true
	}
	return asked, asked <= r.Longest
}

// reconnect tells whether to ask again after a connection that broke or could not be made. One that
// timed out would take as long again.
func (r Retries) reconnect(attempt int, err error) bool {
	failed := &net.OpError{}
	if errors.As(err, &failed) && failed.Op == "dial" {
		return attempt < r.Connections && !failed.Timeout()
	}
	return true
}

// passing tells troubles that pass: what a problem says of itself counts, else its status.
func passing(response *http.Response) bool {
	if response.StatusCode < 400 {
		return false
	}
	told := struct {
		Retryable *bool `json:"retryable"`
	}{}
	if json.Unmarshal(bodyOf(response), &told) == nil && told.Retryable != nil {
		return *told.Retryable
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// completed makes a problem of what answered in the service's place, a proxy's page for example, so that generated
// methods can read it.
func completed(response *http.Response) *http.Response {
	if response == nil || response.StatusCode < 400 {
		return response
	}
	body, told := bodyOf(response), map[string]interface{}{}
	if json.Unmarshal(body, &told) != nil || told == nil {
		told = map[string]interface{}{"detail": fmt.Sprintf("%.200s", body)}
	}
	for name, value := range map[string]interface{}{
		"type": "about:blank", "title": http.StatusText(response.StatusCode), "status": response.StatusCode, "detail": "",
		"errors": []string{}, "retryable": true, "request_id": response.Header.Get("X-Request-ID"),
	} {
		if _, given := told[name]; !given {
			told[name] = value
		}
	}
	body, _ = json.Marshal(told) // of what JSON can hold
	response.Header.Set("Content-Type", "application/problem+json")
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return response
}

// bodyOf reads the body of a problem, which can be read again.
func bodyOf(response *http.Response) []byte {
	body, _ := io.ReadAll(response.Body) // one that breaks off is no problem document
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	return body
}

func renewed(request *http.Request) (*http.Request, error) {
	again := request.Clone(request.Context())
	if request.GetBody == nil {
		return again, nil
	}
	body, err := request.GetBody()
	again.Body = body
	return again, err
}

// backoff is half a second, doubled with each attempt up to 8 s, and spread by the clock so that callers do not march in
// step: math/rand draws the same numbers in every process before Go 1.20.
func backoff(attempt int) time.Duration {
	seconds := math.Min(8, 0.5*math.Pow(2, float64(attempt-1)))
	spread := 0.5 + float64(time.Now().Nanosecond()%1e6)/2e6
	return time.Duration(seconds * spread * float64(time.Second))
}

// retryAfter reads the header, which may be a number or a date.
func retryAfter(value string) (time.Duration, bool) {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		return time.Duration(math.Max(0, seconds) * float64(time.Second)), true
	}
	if at, err := http.ParseTime(value); err == nil {
		return time.Duration(math.Max(0, float64(time.Until(at)))), true
	}
	return 0, false
}

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
