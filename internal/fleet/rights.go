package fleet

import "fmt"

// Rights is what an agent may publish and listen to: all it needs for its testbeds, and
// no more. It can take any job that is queued; it cannot write for another testbed or
// agent, listen to others' answers, or change a stream.
type Rights struct{ Publish, Subscribe []string }

// RightsOf are those of an agent that serves testbeds, and leads measurements with others.
// It may answer what it is asked besides (allow_responses).
func RightsOf(agent string, testbeds, with []string) Rights {
	r := Rights{Subscribe: []string{InboxPrefix(agent) + ".>"}}
	for _, t := range with {
		r.Publish = append(r.Publish, PartSubject(t, "*"))
	}
	r.Publish = append(r.Publish,
		"$JS.API.INFO", "$JS.FC.>",
		"$JS.API.CONSUMER.INFO."+JobStream+".*",
		"$JS.API.CONSUMER.MSG.NEXT."+JobStream+".*",
		"$JS.ACK."+JobStream+".>",
		"$KV."+bucketRuns+"."+agent+".*",
	)
	for _, t := range testbeds {
		r.Subscribe = append(r.Subscribe, PartSubject(t, "*"))
		for _, b := range []string{bucketTestbeds, bucketAlive, bucketLeases} {
			r.Publish = append(r.Publish, "$KV."+b+"."+t)
		}
	}
	for _, b := range []string{bucketConfig, bucketClasses, bucketLeases, bucketRuns, bucketTestbeds, bucketAlive} {
		r.Publish = append(r.Publish, readKV(b)...)
	}
	own := resultsPrefix + agent
	r.Publish = append(r.Publish, "$O."+own+".>", "$JS.API.STREAM.INFO.OBJ_"+own, "$JS.API.STREAM.PURGE.OBJ_"+own,
		"$JS.API.DIRECT.GET.OBJ_"+own+".>", "$JS.API.STREAM.MSG.GET.OBJ_"+own)
	return r
}

// readKV is what reading and watching a bucket takes. The client begins a watch under the
// short subject while it is not connected, for it cannot tell the server's version then.
func readKV(bucket string) []string {
	stream := "KV_" + bucket
	return []string{
		"$JS.API.STREAM.INFO." + stream,
		fmt.Sprintf("$JS.API.DIRECT.GET.%s.>", stream),
		fmt.Sprintf("$JS.API.CONSUMER.CREATE.%s", stream),
		fmt.Sprintf("$JS.API.CONSUMER.CREATE.%s.>", stream),
		fmt.Sprintf("$JS.API.CONSUMER.DELETE.%s.*", stream),
		fmt.Sprintf("$JS.API.CONSUMER.INFO.%s.*", stream),
	}
}
