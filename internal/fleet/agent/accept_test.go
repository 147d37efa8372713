package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/nats-io/nkeys"

	"github.com/upflab/upflab/internal/fleet"
)

// passes are the operator's, and one of an agent.
func passes(t *testing.T) (operator, agent *fleet.Identity) {
	t.Helper()
	seeds := make([]string, 2)
	for i := range seeds {
		pair, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		seed, _ := pair.Seed()
		seeds[i] = string(seed)
	}
	operator, err := (&fleet.Pass{Operator: true, Seed: seeds[0]}).Identity()
	if err != nil {
		t.Fatal(err)
	}
	pair, _ := nkeys.FromSeed([]byte(seeds[1]))
	key, _ := pair.PublicKey()
	grant, err := operator.SignGrant(fleet.Grant{Agent: "rack1", Key: key, Testbeds: []string{"rack1"}})
	if err != nil {
		t.Fatal(err)
	}
	public, _ := operator.OperatorPublic()
	agent, err = (&fleet.Pass{Name: "rack1", Seed: seeds[1], OperatorKey: public, Grant: grant}).Identity()
	if err != nil {
		t.Fatal(err)
	}
	return operator, agent
}

// TestAcceptsTheOperatorsJobs: the agent itself verifies who signed a job and for which testbeds
// it is, whatever hub it comes from.
func TestAcceptsTheOperatorsJobs(t *testing.T) {
	operator, self := passes(t)
	others, _ := passes(t)
	a := &Agent{config: Config{Testbed: fleet.Testbed{Name: "rack1", Version: "v1"}}, conn: &fleet.Client{Self: self}}
	job := fleet.Job{ID: "j1", Campaign: "c", Scenario: "name: x\n", DUTs: []string{"builtin"}, Limit: time.Minute, Attempts: 1}
	signed := func(by *fleet.Identity, class fleet.Class) []byte {
		j := job
		j.Class = class
		data, err := j.Sign(by)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	plain, _ := json.Marshal(job)
	for _, c := range []struct {
		story string
		data  []byte
		want  string // "": it is accepted
	}{
		{"the operator's", signed(operator, fleet.Class{Testbeds: []string{"rack1"}}), ""},
		{"nobody's", plain, "not signed"},
		{"an agent's", signed(self, fleet.Class{}), "not signed"},
		{"another operator's", signed(others, fleet.Class{}), "not signed"},
		{"for another testbed", signed(operator, fleet.Class{Testbeds: []string{"rack2"}}), "not for testbed rack1"},
		{"for another version", signed(operator, fleet.Class{Version: "v2"}), "not for testbed rack1"},
	} {
		_, err := a.accept(fleet.Offer{Job: c.data})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.story, err)
		}
	}
}

// TestJobsDoNotControlTheTerminal: an agent's lines hold no escapes and no newlines of a job, neither
// in its name nor in what is quoted of it; nor do its reports.
func TestJobsDoNotControlTheTerminal(t *testing.T) {
	operator, self := passes(t)
	var lines []string
	a := &Agent{config: Config{Testbed: fleet.Testbed{Name: "rack1", Agent: "rack1"}}, conn: &fleet.Client{Self: self}}
	a.config.Notice = cleaned(func(text string) { lines = append(lines, text) })
	job := fleet.Job{ID: "j1", Campaign: "c", Name: "a\x1b]0;title\x07\nb", Scenario: "name: x\n",
		DUTs: []string{"container:\x1b[31m"}, Limit: time.Minute, Attempts: 1}
	data, err := job.Sign(operator)
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.accept(fleet.Offer{Job: data})
	if err != nil {
		t.Fatal(err)
	}
	if name := a.reportOn(got).Name; name != "a ]0;title  b" {
		t.Errorf("the report is on %q", name)
	}
	uses, err := got.Uses()
	if err != nil {
		t.Fatal(err)
	}
	a.config.Notice("begin " + got.Name)
	a.config.Notice(got.Name + " was refused: " + a.config.Policy.Allows(uses[1:]).Error())
	for _, line := range lines {
		if strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("%q", line)
		}
	}
	if len(lines) != 2 || !strings.Contains(lines[1], "privileged") {
		t.Errorf("%q", lines)
	}
}
