package crseval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Retries says how often to ask in all, how often where nothing takes the connection, and how long a
// Retry-After is worth waiting for. The zero value means six times, four times (some 3 s) and a minute.
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
		r.Connections = 4
	}
	if r.Longest == 0 {
		r.Longest = time.Minute
	}
	return r
}

// retrying is a transport that waits out troubles that pass. Every route may be asked again:
// none changes anything.
type retrying struct {
	Retries
	next http.RoundTripper
}

// RoundTrip sends the request as often as it takes.
func (r *retrying) RoundTrip(request *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		again, err := renewed(request)
		if err != nil {
			return nil, err
		}
		response, err := r.next.RoundTrip(again)
		wait, retry := r.wait(attempt, response, err)
		if !retry || request.Context().Err() != nil {
			return response, err
		}
		if response != nil {
			response.Body.Close()
		}
		if err := pause(request.Context(), wait); err != nil {
			return nil, err
		}
	}
}

func (r *retrying) wait(attempt int, response *http.Response, err error) (time.Duration, bool) {
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
func (r *retrying) reconnect(attempt int, err error) bool {
	failed := &net.OpError{}
	if errors.As(err, &failed) && failed.Op == "dial" {
		return attempt < r.Connections && !failed.Timeout()
	}
	return true
}

// passing tells troubles that pass, unless the problem itself says otherwise.
func passing(response *http.Response) bool {
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		return false
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	told := struct {
		Retryable *bool `json:"retryable"`
	}{}
	return err != nil || json.Unmarshal(body, &told) != nil || told.Retryable == nil || *told.Retryable
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

// backoff is half a second, doubled with each attempt up to 8 s, and spread so that callers do not
// march in step.
func backoff(attempt int) time.Duration {
	seconds := math.Min(8, 0.5*math.Pow(2, float64(attempt-1)))
	return time.Duration(seconds * (0.5 + rand.Float64()/2) * float64(time.Second))
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
