// The calls that the Go client makes to a service.
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

	crseval "github.com/OWNER/crs-eval/clients/go/v2"
	"github.com/OWNER/crs-eval/clients/go/v2/generated"
	"github.com/OWNER/crs-eval/clients/go/v2/parts"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

var output = map[string]interface{}{}

func batch(client *crseval.Client, lines []crseval.Line) (names []string, wrong []int, progress []int) {
	check(client.Batch(context.Background(), lines, func(result crseval.Result, done int) error {
		names = append(names, *result.CustomID)
		progress = append(progress, done)
		verdict := generated.Verdict{}
		switch failed := result.Into(&verdict).(type) {
		case nil:
			output["result"] = []interface{}{verdict.Factor, verdict.Score.Get()}
		case *crseval.Error:
			output["failed_line"] = []interface{}{failed.Status, failed.Problem.Errors[0].Pointer}
		default:
			log.Fatal(failed)
		}
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

// scored is the factor of a verdict, and the status of the answer.
func scored(ctx context.Context, client *crseval.Client, factor string, request generated.FactorScoreRequest) (string, int, error) {
	verdict, response, err := client.API.ScoreAPI.ScoreFactor(ctx, factor).FactorScoreRequest(request).Execute()
	if err != nil {
		status := 0
		if response != nil {
			status = response.StatusCode
		}
		return "", status, crseval.AsProblem(err)
	}
	return verdict.Factor, response.StatusCode, nil
}

func main() {
	url, front := os.Args[1], os.Args[2]
	text, err := os.ReadFile(os.Args[3])
	check(err)
	conversation := generated.Log{}
	check(json.Unmarshal(text, &conversation))
	ctx := context.Background()
	request := *generated.NewScoreRequest(conversation)

	shown := generated.NewShownItem()
	shown.SetId("j1")
	shown.SetTitle("Fellwind Shell")
	output["parts"] = []generated.Part{
		parts.Text("Two fit your budget:"),
		parts.Items([]generated.ShownItem{*shown}, generated.ITEMLAYOUT_CAROUSEL),
		parts.ToolCall("search", "{}", "call_1"),
		parts.ToolResult("[]", "call_1", "search", true),
		parts.Image("A jacket", "https://shop.example/j1"),
		parts.ToolCall("search", "", ""),
	}

	client := crseval.Connect(url, "", crseval.Retries{})
	answer, err := client.Score(ctx, request)
	check(err)
	factors := []string{}
	for _, verdict := range answer.Verdicts {
		factors = append(factors, verdict.Factor)
	}
	output["mean"], output["factors"] = *answer.Summaries[0].Mean.Get(), factors
	debate, err := client.Debate(ctx, *generated.NewDebateRequest(conversation))
	check(err)
	output["overall"] = debate.Overall

	events := []string{}
	check(client.Stream(ctx, "/score", request, func(event crseval.Event) error {
		events = append(events, event.Name)
		value, err := event.Value()
		check(err)
		if verdict, typed := value.(*generated.Verdict); typed && output["event"] == nil {
			output["event"] = []interface{}{verdict.Factor, verdict.Score.Get()}
		}
		if event.Name == "done" {
			whole := generated.ScoreAnswer{}
			check(event.Into(&whole))
			output["streamed"] = whole.Summaries[0].Mean.Get()
			output["done"] = output["streamed"]
		}
		return nil
	}))
	output["events"] = events

	wrong := request
	wrong.SetJudge("nobody")
	_, err = client.Score(ctx, wrong)
	problem := &crseval.Error{}
	if !errors.As(err, &problem) {
		log.Fatal("no problem: ", err)
	}
	output["error"] = map[string]interface{}{
		"status":    problem.Status,
		"pointer":   problem.Problem.Errors[0].Pointer,
		"retryable": problem.Problem.Retryable,
	}

	output["said"] = problem.Error()
	output["kind"] = errors.Is(err, crseval.ErrInvalid) && !errors.Is(err, crseval.ErrService)
	output["request_id"] = problem.RequestID()

	later, err := crseval.Connect(front+"/later", "", crseval.Retries{}).Score(ctx, request)
	check(err)
	output["later"] = later.Summaries[0].Mean.Get()

	short := map[string]interface{}{"log": map[string]interface{}{"messages": conversation.Messages[:2]}}
	lines := []crseval.Line{}
	for number := 0; number < 501; number++ {
		lines = append(lines, crseval.Line{CustomID: strconv.Itoa(number), Path: "/score/coherence", Body: short})
	}
	lines[7].Body = map[string]interface{}{"log": map[string]interface{}{"messages": []string{}}}
	names, wrongLines, progress := batch(crseval.Connect(front+"/plain", "", crseval.Retries{}), lines)
	output["lines"], output["wrong_lines"], output["progress"] = len(names), wrongLines, progress
	named := []crseval.Line{}
	for _, name := range []string{"a", "b", "c"} {
		named = append(named, crseval.Line{CustomID: name, Path: "/score/coherence", Body: request})
	}
	output["cut"], _, _ = batch(crseval.Connect(front+"/cut", "", crseval.Retries{}), named)

	hook := [][]interface{}{}
	busy := crseval.New(crseval.Options{URL: front + "/busy", Hook: func(seen crseval.Attempt) {
		hook = append(hook, []interface{}{seen.Method, seen.Path, seen.Number, seen.Status, seen.Wait > 0})
	}})
	one := *generated.NewFactorScoreRequest(conversation)
	verdict, _, err := busy.API.ScoreAPI.ScoreFactor(ctx, "coherence").FactorScoreRequest(one).Execute()
	check(err)
	output["retried"], output["hook"] = verdict.Factor, hook
	once := crseval.WithRetries(ctx, crseval.Retries{Attempts: 1})
	_, output["asked_once"], err = scored(once, busy, "diversity", one)
	if !errors.Is(err, crseval.ErrRateLimited) {
		log.Fatal("not refused: ", err)
	}
	_, response, err := busy.API.ScoreAPI.ScoreFactor(ctx, "nonsense").FactorScoreRequest(one).Execute()
	if err == nil {
		log.Fatal("nonsense was judged")
	}
	output["not_retried"] = response.StatusCode

	lost := crseval.Connect(front+"/lost", "", crseval.Retries{})
	verdict, _, err = lost.API.ScoreAPI.ScoreFactor(ctx, "coherence").FactorScoreRequest(one).Execute()
	check(err)
	output["reconnected"] = verdict.Factor
	output["insisted"], _, err = scored(ctx, crseval.Connect(front+"/passing", "", crseval.Retries{}), "coherence", one)
	check(err)
	output["named"], _, err = scored(ctx, crseval.Connect("", "", crseval.Retries{}), "coherence", one)
	check(err)
	_, output["page"], err = scored(once, crseval.Connect(front+"/page", "", crseval.Retries{}), "coherence", one)
	if !errors.Is(err, crseval.ErrService) {
		log.Fatal("no problem: ", err)
	}
	hasty, ended := context.WithTimeout(ctx, 300*time.Millisecond)
	defer ended()
	_, _, err = scored(hasty, crseval.Connect(front+"/slow", "", crseval.Retries{}), "coherence", one)
	output["limited"] = errors.Is(err, crseval.ErrTimedOut) && errors.Is(err, crseval.ErrUnreachable) && errors.Is(err, context.DeadlineExceeded)
	_, _, err = scored(ctx, crseval.Connect(front+"/broken", "", crseval.Retries{}), "coherence", one)
	output["broken"] = errors.Is(err, crseval.ErrUnreachable)
	live := crseval.Connect(os.Getenv("LIVE_URL"), "", crseval.Retries{}).API.LiveAPI
	post := generated.NewLivePost()
	post.User.Set(generated.NewLiveUser())
	post.User.Get().Id.Set(&[]string{"anna/1"}[0])
	for _, said := range request.Log.Messages[:2] {
		post.Messages = append(post.Messages, *generated.NewLiveMessage(said.Role, said.Content))
	}
	taken, _, err := live.AddMessages(ctx, "shop/1").LivePost(*post).Execute()
	check(err)
	kept := []int{}
	for range []int{0, 1} {
		known, _, err := live.GetUser(ctx, "anna/1").Execute()
		check(err)
		kept = append(kept, len(known.Conversations))
		_, err = live.DeleteConversation(ctx, "none").Execute()
		check(err)
		_, err = live.DeleteUser(ctx, "anna/1").Execute()
		check(err)
	}
	summary, _, err := live.GetSummary(ctx).Execute()
	check(err)
	output["live"] = []interface{}{taken.Messages, kept[0], kept[1], summary.Systems}
	_, _, err = live.GetJudgement(ctx, "shop/1").Execute()
	if errors.As(crseval.AsProblem(err), &problem) {
		output["not_judged"] = problem.Status
	}
	patient := crseval.Connect(front+"/hour", "", crseval.Retries{Longest: 4000 * time.Second})
	stopped, stop := context.WithCancel(ctx)
	time.AfterFunc(300*time.Millisecond, stop)
	_, _, err = scored(stopped, patient, "novelty", one)
	output["stopped_waiting"] = errors.Is(err, context.Canceled)
	givenUp := []int{}
	for _, path := range []string{"hour", "final"} {
		refused := crseval.Connect(front+"/"+path, "", crseval.Retries{}).API.ScoreAPI
		_, _, err = refused.ScoreFactor(ctx, "coherence").FactorScoreRequest(one).Execute()
		if !errors.As(crseval.AsProblem(err), &problem) {
			log.Fatal("no problem: ", err)
		}
		givenUp = append(givenUp, problem.Status)
	}
	output["given_up"] = givenUp

	down, seconds := crseval.Connect("http://127.0.0.1:9", "", crseval.Retries{}), []float64{}
	for _, ask := range []func() error{
		func() error { _, err := down.Score(ctx, request); return err },
		func() error { return down.Batch(ctx, named, func(crseval.Result, int) error { return nil }) },
	} {
		begun := time.Now()
		if err := ask(); !errors.Is(err, crseval.ErrUnreachable) {
			log.Fatal("not unreachable: ", err)
		}
		seconds = append(seconds, time.Since(begun).Seconds())
	}
	output["down"] = seconds

	made, err := json.Marshal(output)
	check(err)
	fmt.Println(string(made))
}
