// What the Go client does with a service.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"sort"
	"strconv"
	"time"

	crseval "github.com/OWNER/crs-eval/clients/go"
	"github.com/OWNER/crs-eval/clients/go/generated"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func batch(client *crseval.Client, lines []crseval.Line) (names []string, wrong []int, progress []int) {
	check(client.Batch(context.Background(), lines, func(result crseval.Result, done int) error {
		names = append(names, *result.CustomID)
		progress = append(progress, done)
		if result.Status != 200 {
			number, err := strconv.Atoi(*result.CustomID)
			check(err)
			wrong = append(wrong, number)
		}
		return nil
	}))
	sort.Strings(names)
	return names, wrong, progress
}

func main() {
	url, front := os.Args[1], os.Args[2]
	text, err := os.ReadFile(os.Args[3])
	check(err)
	conversation := generated.Log{}
	check(json.Unmarshal(text, &conversation))
	ctx, told := context.Background(), map[string]interface{}{}
	request := *generated.NewScoreRequest(conversation)

	client := crseval.Connect(url, "", crseval.Retries{})
	answer, err := client.Score(ctx, request)
	check(err)
	factors := []string{}
	for _, verdict := range answer.Verdicts {
		factors = append(factors, verdict.Factor)
	}
	told["mean"], told["factors"] = *answer.Summaries[0].Mean.Get(), factors
	debate, err := client.Debate(ctx, *generated.NewDebateRequest(conversation))
	check(err)
	told["overall"] = debate.Overall

	events := []string{}
	check(client.Stream(ctx, "/score", request, func(event crseval.Event) error {
		events = append(events, event.Name)
		if event.Name == "done" {
			whole := generated.ScoreAnswer{}
			check(json.Unmarshal(event.Data, &whole))
			told["streamed"] = whole.Summaries[0].Mean.Get()
		}
		return nil
	}))
	told["events"] = events

	wrong := request
	wrong.SetJudge("nobody")
	_, err = client.Score(ctx, wrong)
	problem := &crseval.Error{}
	if !errors.As(err, &problem) {
		log.Fatal("no problem: ", err)
	}
	told["error"] = map[string]interface{}{
		"status":    problem.Status,
		"pointer":   problem.Problem.Errors[0].Pointer,
		"retryable": problem.Problem.Retryable,
	}

	told["said"] = problem.Error()

	later, err := crseval.Connect(front+"/later", "", crseval.Retries{}).Score(ctx, request)
	check(err)
	told["later"] = later.Summaries[0].Mean.Get()

	short := map[string]interface{}{"log": map[string]interface{}{"messages": conversation.Messages[:2]}}
	lines := []crseval.Line{}
	for number := 0; number < 501; number++ {
		lines = append(lines, crseval.Line{CustomID: strconv.Itoa(number), Path: "/score/coherence", Body: short})
	}
	lines[7].Body = map[string]interface{}{"log": map[string]interface{}{"messages": []string{}}}
	names, wrongLines, progress := batch(crseval.Connect(front+"/plain", "", crseval.Retries{}), lines)
	told["lines"], told["wrong_lines"], told["progress"] = len(names), wrongLines, progress
	named := []crseval.Line{}
	for _, name := range []string{"a", "b", "c"} {
		named = append(named, crseval.Line{CustomID: name, Path: "/score/coherence", Body: request})
	}
	told["cut"], _, _ = batch(crseval.Connect(front+"/cut", "", crseval.Retries{}), named)

	busy := crseval.Connect(front+"/busy", "", crseval.Retries{})
	one := *generated.NewFactorScoreRequest(conversation)
	verdict, _, err := busy.API.ScoreAPI.ScoreFactor(ctx, "coherence").FactorScoreRequest(one).Execute()
	check(err)
	told["retried"] = verdict.Factor
	_, response, err := busy.API.ScoreAPI.ScoreFactor(ctx, "nonsense").FactorScoreRequest(one).Execute()
	if err == nil {
		log.Fatal("nonsense was judged")
	}
	told["not_retried"] = response.StatusCode

	lost := crseval.Connect(front+"/lost", "", crseval.Retries{})
	verdict, _, err = lost.API.ScoreAPI.ScoreFactor(ctx, "coherence").FactorScoreRequest(one).Execute()
	check(err)
	told["reconnected"] = verdict.Factor
	givenUp := []int{}
	for _, path := range []string{"hour", "final"} {
		refused := crseval.Connect(front+"/"+path, "", crseval.Retries{}).API.ScoreAPI
		_, _, err = refused.ScoreFactor(ctx, "coherence").FactorScoreRequest(one).Execute()
		if !errors.As(crseval.AsProblem(err), &problem) {
			log.Fatal("no problem: ", err)
		}
		givenUp = append(givenUp, problem.Status)
	}
	told["given_up"] = givenUp

	down, seconds := crseval.Connect("http://127.0.0.1:9", "", crseval.Retries{}), []float64{}
	for _, ask := range []func() error{
		func() error { _, err := down.Score(ctx, request); return err },
		func() error { return down.Batch(ctx, named, func(crseval.Result, int) error { return nil }) },
	} {
		begun := time.Now()
		if ask() == nil {
			log.Fatal("a service that is down answered")
		}
		seconds = append(seconds, time.Since(begun).Seconds())
	}
	told["down"] = seconds

	made, err := json.Marshal(told)
	check(err)
	fmt.Println(string(made))
}
