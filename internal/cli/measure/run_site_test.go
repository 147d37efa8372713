package measure

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestNotePodLimits(t *testing.T) {
	r := &record.Result{DUTs: []record.DUT{{Trials: []record.Trial{{Judgement: record.Judgement{LimitedBy: record.LimitDUT}},
		{Judgement: record.Judgement{LimitedBy: record.LimitNone}}}}},
		Cluster: &record.Cluster{Pods: []record.Pod{{Role: record.RoleUPF, Name: "upf-0", Limits: map[string]string{"cpu": "2"}}}}}
	notePodLimits(r)
	trials := r.DUTs[0].Trials
	if len(trials[0].Reasons) != 1 || !strings.Contains(trials[0].Reasons[0], "upf-0 may use 2 CPUs") || len(trials[1].Reasons) != 0 {
		t.Errorf("%+v", trials)
	}
}
