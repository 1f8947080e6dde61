// Package crseval is a client of crs-eval. The package generated is the contract; this one
// adds retries, streams and batches.
package crseval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"crseval/generated"
)

// Client asks a service. API has a method for every route; all of them retry.
type Client struct {
	API  *generated.APIClient
	url  string
	key  string
	http *http.Client
}

// Connect makes a client; key may be empty.
func Connect(url string, key string, retries Retries) *Client {
	made := &http.Client{Transport: &retrying{retries.orDefaults(), http.DefaultTransport}}
	configuration := generated.NewConfiguration()
	configuration.Servers = generated.ServerConfigurations{{URL: strings.TrimRight(url, "/")}}
	configuration.HTTPClient = made
	if key != "" {
		configuration.AddDefaultHeader("Authorization", "Bearer "+key)
	}
	return &Client{generated.NewAPIClient(configuration), strings.TrimRight(url, "/"), key, made}
}

// Score judges a log on several factors; CoRE's twelve where the request names none.
func (c *Client) Score(ctx context.Context, request generated.ScoreRequest) (*generated.ScoreAnswer, error) {
	answer, _, err := c.API.ScoreAPI.ScoreLog(ctx).ScoreRequest(request).Execute()
	return answer, AsProblem(err)
}

// Debate has roles debate a log to one score from 0 to 100.
func (c *Client) Debate(ctx context.Context, request generated.DebateRequest) (*generated.DebateAnswer, error) {
	answer, _, err := c.API.DebateAPI.DebateOneLog(ctx).DebateRequest(request).Execute()
	return answer, AsProblem(err)
}

// Error is a problem that the service told, or what came in its place.
type Error struct {
	Status  int
	Problem generated.Problem
	Body    []byte
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

// AsProblem turns an error of a generated method into an *Error where the service told one.
func AsProblem(err error) error {
	told, ok := err.(*generated.GenericOpenAPIError)
	if !ok {
		return err
	}
	var problem generated.Problem
	if json.Unmarshal(told.Body(), &problem) != nil {
		return err
	}
	return &Error{int(problem.Status), problem, told.Body()}
}

// post gives the response with status 200, its body unread.
func (c *Client) post(ctx context.Context, path, kind, accept string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Accept", accept)
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	response, err := c.http.Do(request)
	if err != nil || response.StatusCode == http.StatusOK {
		return response, err
	}
	defer response.Body.Close()
	told, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	problem := generated.Problem{}
	_ = json.Unmarshal(told, &problem) // a proxy's page is no problem document
	return nil, &Error{response.StatusCode, problem, told}
}
