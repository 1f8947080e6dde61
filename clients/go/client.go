// Package crseval is a client of crs-eval. The package generated is the contract; this one
// adds retries, streams and batches.
package crseval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/OWNER/crs-eval/clients/go/v2/generated"
)

// Client asks a service. API has a method for every route; all of them retry.
type Client struct {
	API  *generated.APIClient
	url  string
	key  string
	http *http.Client
}

// Version is that of this client.
const Version = "2.0.0"

// Options say where a service is and how it is asked. URL is else CRS_EVAL_URL of the environment, else a service on this
// machine; Key is else CRS_EVAL_API_KEY. Hook is told of every attempt, Timeout bounds a request with all its attempts.
type Options struct {
	URL     string
	Key     string
	Retries Retries
	Timeout time.Duration
	Hook    func(Attempt)
}

// Connect makes a client; url and key may be empty: then the environment says them.
func Connect(url string, key string, retries Retries) *Client {
	return New(Options{URL: url, Key: key, Retries: retries})
}

// New makes a client.
func New(options Options) *Client {
	url := first(options.URL, os.Getenv("CRS_EVAL_URL"), "http://127.0.0.1:8000")
	key := first(options.Key, os.Getenv("CRS_EVAL_API_KEY"))
	made := &http.Client{
		Transport: &retrying{options.Retries.orDefaults(), http.DefaultTransport, options.Hook},
		Timeout:   options.Timeout,
		// A redirect would carry the conversation, and within a domain the key, to wherever it points.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	configuration := generated.NewConfiguration()
	configuration.Servers = generated.ServerConfigurations{{URL: strings.TrimRight(url, "/")}}
	configuration.HTTPClient = made
	configuration.UserAgent = agent
	if key != "" {
		configuration.AddDefaultHeader("Authorization", "Bearer "+key)
	}
	return &Client{generated.NewAPIClient(configuration), strings.TrimRight(url, "/"), key, made}
}

const agent = "crs-eval-client-go/" + Version

func first(given ...string) string {
	for _, one := range given {
		if one != "" {
			return one
		}
	}
	return ""
}

// Score judges a log on several factors; CoRE's twelve where the request names none.
func (c *Client) Score(ctx context.Context, request generated.ScoreRequest) (*generated.ScoreAnswer, error) {
	answer, _, err := c.API.ScoreAPI.ScoreLog(ctx).ScoreRequest(request).Execute()
	return answer, AsProblem(err)
}

// ScoreFactor judges a log on one factor.
func (c *Client) ScoreFactor(ctx context.Context, factor string, request generated.FactorScoreRequest) (*generated.Verdict, error) {
	answer, _, err := c.API.ScoreAPI.ScoreFactor(ctx, factor).FactorScoreRequest(request).Execute()
	return answer, AsProblem(err)
}

// Debate has roles debate a log to one score from 0 to 100.
func (c *Client) Debate(ctx context.Context, request generated.DebateRequest) (*generated.DebateAnswer, error) {
	answer, _, err := c.API.DebateAPI.DebateOneLog(ctx).DebateRequest(request).Execute()
	return answer, AsProblem(err)
}

// Kinds of problems, for errors.Is(err, crseval.ErrInvalid).
var (
	ErrInvalid          = errors.New("the request does not fit the contract")   // 400, 422
	ErrAuthentication   = errors.New("no key, or none that the service knows")  // 401
	ErrPermissionDenied = errors.New("the key does not open this route")        // 403
	ErrNotFound         = errors.New("there is nothing under that name")        // 404
	ErrRateLimited      = errors.New("too many requests")                       // 429
	ErrService          = errors.New("the service, or a model, gave no answer") // 5xx
	ErrUnreachable      = errors.New("no answer came")                          // also where none came in time
	ErrTimedOut         = errors.New("no answer came in time")
)

var kinds = map[int]error{
	400: ErrInvalid, 401: ErrAuthentication, 403: ErrPermissionDenied, 404: ErrNotFound, 422: ErrInvalid, 429: ErrRateLimited,
}

// unanswered is what the transport said where no answer came.
type unanswered struct{ error }

// lost makes ErrUnreachable of a transport's error. A canceled context stays what it is.
func lost(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &unanswered{err}
}

// Unwrap gives the transport's error.
func (u *unanswered) Unwrap() error { return u.error }

// Is tells whether no answer came, and whether time was the reason.
func (u *unanswered) Is(kind error) bool {
	late := net.Error(nil)
	return kind == ErrUnreachable || kind == ErrTimedOut && errors.As(u.error, &late) && late.Timeout()
}

// Error is a problem that the service told, or what came in its place.
type Error struct {
	Status  int
	Problem generated.Problem
	Body    []byte
}

// problemIn reads a problem. Where there is none, the error has the given status and the Body alone.
func problemIn(body []byte, status int) *Error {
	problem := generated.Problem{}
	if json.Unmarshal(body, &problem) == nil {
		status = int(problem.Status)
	}
	return &Error{status, problem, body}
}

// RequestID is what the service's log calls the request; empty where something else answered.
func (e *Error) RequestID() string { return e.Problem.RequestId }

// Is tells the kind of a problem.
func (e *Error) Is(kind error) bool {
	return kind == kinds[e.Status] || e.Status >= 500 && kind == ErrService
}

// Error says what is wrong and how to fix it.
func (e *Error) Error() string {
	if len(e.Problem.Errors) == 0 {
		return fmt.Sprintf("%d %s", e.Status, e.Problem.Detail)
	}
	said := fmt.Sprintf("%d %s", e.Status, e.Problem.Title) // the detail repeats the first of the errors
	for _, one := range e.Problem.Errors {
		place := one.Pointer
		if place == "" {
			place = "the body"
		}
		said += fmt.Sprintf("\n  %s: %s; %s", place, one.Detail, one.Fix)
	}
	return said
}

// AsProblem turns an error of a generated method into an *Error where the service told one, and into one that is
// ErrUnreachable where no answer came, or not all of it.
func AsProblem(err error) error {
	told, ok := err.(*generated.GenericOpenAPIError)
	if failed := net.Error(nil); errors.As(err, &failed) || errors.Is(err, io.ErrUnexpectedEOF) {
		return lost(err)
	}
	if !ok {
		return err
	}
	if problem := problemIn(told.Body(), 0); problem.Status != 0 {
		return problem
	}
	return err
}

// post gives the response with status 200, its body unread.
func (c *Client) post(ctx context.Context, path, kind, accept string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Accept", accept)
	request.Header.Set("User-Agent", agent)
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := c.http.Do(request)
	if err != nil || response.StatusCode == http.StatusOK {
		return response, AsProblem(err)
	}
	defer response.Body.Close()
	told, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return nil, problemIn(told, response.StatusCode)
}
