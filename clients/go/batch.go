package crseval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Window is how many lines one request holds at most: the service reads no further while its
// results are not taken.
const Window = 500

const attemptsOfABatch = 6

// Line is one request of a batch.
type Line struct {
	CustomID string      `json:"custom_id"`
	Path     string      `json:"path"`
	Body     interface{} `json:"body"`
}

// Result is what became of a line. Body is the route's answer, or a problem where Status is not 200.
type Result struct {
	Line     int             `json:"line"`
	CustomID *string         `json:"custom_id"`
	Status   int             `json:"status"`
	Body     json.RawMessage `json:"body"`
}

// Into reads the answer of a line into the model of its route. A line that failed is an *Error.
func (r Result) Into(model interface{}) error {
	if r.Status == 200 {
		return json.Unmarshal(r.Body, model)
	}
	return problemIn(r.Body, r.Status)
}

// Batch calls take with each result as it finishes, in any order, and with the number of lines that
// are done. Where the connection breaks, what is not answered yet is sent again.
func (c *Client) Batch(ctx context.Context, lines []Line, take func(result Result, done int) error) error {
	done := 0
	counted := func(result Result) error {
		done++
		return take(result, done)
	}
	for start := 0; start < len(lines); start += Window {
		end := start + Window
		if end > len(lines) {
			end = len(lines)
		}
		if err := c.window(ctx, lines[start:end], counted); err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) window(ctx context.Context, lines []Line, take func(Result) error) error {
	waiting := map[string]bool{}
	for _, line := range lines {
		if waiting[line.CustomID] {
			return fmt.Errorf("two lines of a batch are called %q", line.CustomID)
		}
		waiting[line.CustomID] = true
	}
	for attempt := 1; ; attempt++ {
		err := c.send(ctx, lines, waiting, take)
		if len(waiting) == 0 || err != nil {
			return err
		}
		if attempt >= attemptsOfABatch {
			return lost(fmt.Errorf("%d lines of the batch were not answered", len(waiting)))
		}
		if err := pause(ctx, backoff(attempt)); err != nil {
			return err
		}
	}
}

var errEnded = errors.New("the service ended the batch")

// send sends what waits; lines that are then still waiting are not an error.
func (c *Client) send(ctx context.Context, lines []Line, waiting map[string]bool, take func(Result) error) error {
	body := strings.Builder{}
	for _, line := range lines {
		if !waiting[line.CustomID] {
			continue
		}
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		body.Write(append(text, '\n'))
	}
	response, err := c.post(ctx, "/batch", "application/x-ndjson", "application/x-ndjson", []byte(body.String()))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var taken error
	err = readLines(response.Body, func(text string) error {
		result := Result{}
		if taken = json.Unmarshal([]byte(text), &result); taken != nil {
			return taken
		}
		if result.CustomID == nil || !waiting[*result.CustomID] {
			return errEnded
		}
		delete(waiting, *result.CustomID)
		taken = take(result)
		return taken
	})
	if taken != nil {
		return taken
	}
	return ctx.Err() // a connection that broke shows in what still waits
}
