// Scores one conversation and shows the verdicts as they come: go run ./examples/score [URL]
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	crseval "github.com/OWNER/crs-eval/clients/go/v2"
	"github.com/OWNER/crs-eval/clients/go/v2/generated"
	"github.com/OWNER/crs-eval/clients/go/v2/parts"
)

func main() {
	url := "http://127.0.0.1:8000"
	if len(os.Args) > 1 {
		url = os.Args[1]
	}
	client := crseval.Connect(url, "", crseval.Retries{})
	film, reply := "The Long Riders", generated.NewMessage(generated.ROLE_ASSISTANT, "Try this one:")
	shown := []generated.ShownItem{{Title: *generated.NewNullableString(&film)}}
	reply.SetParts([]generated.Part{parts.Items(shown, generated.ITEMLAYOUT_CAROUSEL)})
	request := *generated.NewScoreRequest(*generated.NewLog([]generated.Message{
		*generated.NewMessage(generated.ROLE_USER, "Any western from the seventies?"), *reply,
	}))
	answer, err := client.Score(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	if mean := answer.Summaries[0].Mean.Get(); mean != nil {
		fmt.Println("mean", *mean)
	} else {
		fmt.Println("no mean: no factor has a score")
	}
	err = client.Stream(context.Background(), "/score", request, func(event crseval.Event) error {
		if event.Name != "verdict" {
			return nil
		}
		verdict := generated.Verdict{}
		if err := json.Unmarshal(event.Data, &verdict); err != nil {
			return err
		}
		fmt.Println(verdict.Factor, verdict.Status)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
}
