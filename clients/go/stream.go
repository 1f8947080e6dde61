package crseval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/OWNER/crs-eval/clients/go/v2/generated"
)

// Event is one event of a stream: verdict, round, message, progress or done.
type Event struct {
	ID   string
	Name string
	Data json.RawMessage
}

// Value is the event's data as its model: *generated.Verdict, *generated.Round or *generated.Message; nil for events
// whose data has another form. What done carries, Into reads.
func (e Event) Value() (interface{}, error) {
	models := map[string]interface{}{
		"verdict": &generated.Verdict{}, "round": &generated.Round{},
	}
	if e.Name == "message" {
		said := struct{ Message *generated.Message }{}
		err := e.Into(&said)
		return said.Message, err
	}
	model := models[e.Name]
	if model == nil {
		return nil, nil
	}
	return model, e.Into(model)
}

// Into reads the event's data into a model, for example a *generated.ScoreAnswer of done.
func (e Event) Into(model interface{}) error { return json.Unmarshal(e.Data, model) }

// Stream calls take with each event of /score, /debate, /evaluate or /simulate as it comes; done is
// the last and carries the whole answer. An error event becomes an *Error; an error of take ends
// the stream and is returned.
func (c *Client) Stream(ctx context.Context, path string, body interface{}, take func(Event) error) error {
	asked, err := json.Marshal(body)
	if err != nil {
		return err
	}
	response, err := c.post(ctx, path, "application/json", "text/event-stream", asked)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return readEvents(response.Body, func(event Event) error {
		if event.Name != "error" {
			return take(event)
		}
		return problemIn(event.Data, 500)
	})
}

func readEvents(body io.Reader, take func(Event) error) error {
	event, data := Event{Name: "message"}, []string{}
	return readLines(body, func(line string) error {
		if line == "" {
			ended := event
			ended.Data = json.RawMessage(strings.Join(data, "\n"))
			empty := len(data) == 0
			event.Name, data = "message", nil
			if empty {
				return nil
			}
			return take(ended)
		}
		// A line that begins with a colon is a comment: the service is still working.
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(data, value)
		case "event":
			event.Name = value
		case "id":
			event.ID = value
		}
		return nil
	})
}

// readLines takes lines of any length, without their ends.
func readLines(body io.Reader, take func(string) error) error {
	reader := bufio.NewReader(body)
	for {
		line, err := reader.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return lost(err) // what was read of the line is not a line
		}
		if line = strings.TrimRight(line, "\r\n"); line != "" || err == nil {
			if err := take(line); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}
