package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// others is where the SMF finds the NRF, UDM, PCF and AMF: behind one address, as an SCP.
const others = "192.0.2.10:7777"

type object = map[string]any

// serve answers as NRF, UDM, PCF and AMF.
func serve() error {
	var created atomic.Int32
	s := &http.Server{Addr: others, Protocols: cleartext(), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		path := r.URL.Path
		fmt.Println(r.Method, r.URL.RequestURI())
		answer := func(status int, location string, v any) {
			w.Header().Set("Connection", "close") // curl 7.88 cannot use one again
			if location != "" {
				w.Header().Set("Location", "http://"+others+location)
			}
			if v == nil {
				w.WriteHeader(status)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			json.NewEncoder(w).Encode(v)
		}
		echo := object{}
		_ = json.Unmarshal(body, &echo)
		switch {
		case strings.Contains(path, "/nnrf-nfm/v1/nf-instances/") && r.Method == http.MethodPut:
			echo["heartBeatTimer"] = 10
			answer(http.StatusCreated, path, echo)
		case strings.HasSuffix(path, "/subscriptions"), strings.HasSuffix(path, "/sdm-subscriptions"):
			echo["subscriptionId"] = "1"
			echo["validityTime"] = "2099-01-01T00:00:00Z"
			answer(http.StatusCreated, path+"/1", echo)
		case strings.HasSuffix(path, "/sm-data"):
			answer(http.StatusOK, "", []object{subscription})
		case strings.Contains(path, "/smf-registrations/") && r.Method == http.MethodPut:
			answer(http.StatusCreated, path, echo)
		case strings.HasSuffix(path, "/sm-policies"):
			n := created.Add(1)
			answer(http.StatusCreated, fmt.Sprintf("/npcf-smpolicycontrol/v1/sm-policies/%d", n), decision(n > 1))
		case strings.HasSuffix(path, "/n1-n2-messages"):
			answer(http.StatusOK, "", object{"cause": "N1_N2_TRANSFER_INITIATED"})
		default:
			answer(http.StatusNoContent, "", nil)
		}
	})}
	return s.ListenAndServe()
}

// cleartext is HTTP/2 without TLS.
func cleartext() *http.Protocols {
	var p http.Protocols
	p.SetUnencryptedHTTP2(true)
	return &p
}

var (
	slice = object{"sst": 1}
	ambr  = object{"uplink": "1 Gbps", "downlink": "1 Gbps"}
	arp   = object{"priorityLevel": 8, "preemptCap": "NOT_PREEMPT", "preemptVuln": "NOT_PREEMPTABLE"}
	plmn  = object{"mcc": "001", "mnc": "01"}

	subscription = object{"singleNssai": slice, "dnnConfigurations": object{"internet": object{
		"pduSessionTypes": object{"defaultSessionType": "IPV4", "allowedSessionTypes": []string{"IPV4"}},
		"sscModes":        object{"defaultSscMode": "SSC_MODE_1", "allowedSscModes": []string{"SSC_MODE_1"}},
		"5gQosProfile":    object{"5qi": 9, "arp": arp, "priorityLevel": 8}, "sessionAmbr": ambr}}}
)

// decision is the PCF's; with a QoS flow of its own for one host where that is asked.
func decision(flow bool) object {
	d := object{"sessRules": object{"s1": object{"sessRuleId": "s1", "authSessAmbr": ambr,
		"authDefQos": object{"5qi": 9, "arp": arp, "priorityLevel": 8}}},
		"policyCtrlReqTriggers": []string{"SE_AMBR_CH", "DEF_QOS_CH"}}
	if flow {
		d["pccRules"] = object{"p1": object{"pccRuleId": "p1", "precedence": 20, "refQosData": []string{"q1"},
			"flowInfos": []object{{"flowDescription": "permit out 17 from 198.51.100.10/32 80-90 to any", "flowDirection": "BIDIRECTIONAL"}}}}
		d["qosDecs"] = object{"q1": object{"qosId": "q1", "5qi": 1, "arp": arp, "maxbrUl": "1 Mbps",
			"maxbrDl": "2 Mbps", "gbrUl": "500 Kbps", "gbrDl": "600 Kbps"}}
	}
	return d
}

// amf asks the SMF as an AMF does.
type amf struct {
	client  http.Client
	context string // of the session at the SMF
}

// post sends JSON, with a part of octets where there is one.
func (a *amf) post(url string, v object, kind, id string, part []byte) error {
	head, err := json.Marshal(v)
	if err != nil {
		return err
	}
	body, content := head, "application/json"
	if part != nil {
		const mark = "=-=-"
		content = `multipart/related; boundary="` + mark + `"`
		body = fmt.Appendf(nil,
			"--%s\r\nContent-Type: application/json\r\n\r\n%s\r\n--%s\r\nContent-Id: %s\r\nContent-Type: "+
				"application/vnd.3gpp.%s\r\n\r\n%s\r\n--%s--\r\n",
			mark, head, mark, id, kind, part, mark)
	}
	r, err := a.client.Post(url, content, bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	fmt.Println("SMF:", r.Status, r.Header.Get("Location"), len(text))
	if r.StatusCode >= 300 {
		return fmt.Errorf("%s: %s: %.300s", url, r.Status, text)
	}
	if l := r.Header.Get("Location"); l != "" {
		a.context = l
	}
	return nil
}

// core has the SMF establish two sessions, activate, idle, page, resume, hand over and
// release them.
func core(u *upf) error {
	go func() { fmt.Println(serve()) }()
	time.Sleep(4 * time.Second) // for the SMF to register and to associate
	for n := range 2 {
		a := &amf{client: http.Client{Transport: &http.Transport{Protocols: cleartext()}, Timeout: 5 * time.Second}}
		if err := a.session(u, n); err != nil {
			return err
		}
	}
	time.Sleep(12 * time.Second) // for a heartbeat
	return nil
}

func (a *amf) session(u *upf, n int) error {
	supi := fmt.Sprintf("imsi-00101000000000%d", n+1)
	create := object{"supi": supi, "pduSessionId": 1, "dnn": "internet", "sNssai": slice,
		"servingNfId": "66bf4df8-b832-41ed-aa12-4df3ea315a7c",
		"guami":       object{"plmnId": plmn, "amfId": "020040"}, "servingNetwork": plmn, "requestType": "INITIAL_REQUEST",
		"n1SmMsg": object{"contentId": "5gnas-sm"},
		"anType":  "3GPP_ACCESS", "ratType": "NR", "ueTimeZone": "+00:00", "pcfId": "66bf4df8-b832-41ed-aa12-4df3ea315a7d",
		"ueLocation": object{"nrLocation": object{"tai": object{"plmnId": plmn, "tac": "000001"},
			"ncgi":                object{"plmnId": plmn, "nrCellId": "000000010"},
			"ueLocationTimestamp": "2026-11-22T12:00:00.000000Z"}},
		"smContextStatusUri": "http://" + others + "/namf-callback/v1/" + supi + "/sm-context-status/1"}
	request := []byte{0x2e, 1, 1, 0xc1, 0xff, 0xff, 0x91} // PDU Session Establishment Request, IPv4
	if err := a.post("http://"+smf.String()+":7777/nsmf-pdusession/v1/sm-contexts", create, "5gnas", "5gnas-sm", request); err != nil {
		return err
	}
	time.Sleep(time.Second) // the SMF has established the session
	steps := []func() error{
		func() error { return a.tunnel(gnb.As4(), 0x40001) },
		func() error { return a.modify(object{"upCnxState": "DEACTIVATED"}) },
		func() error { u.downlinkData(n, 1); return nil },
		func() error { return a.modify(object{"upCnxState": "ACTIVATING"}) },
		func() error { return a.tunnel(gnb.As4(), 0x40002) },
		func() error { return a.tunnel([4]byte{192, 0, 2, 2}, 0x40003) },
		func() error { return a.post(a.context+"/release", object{}, "", "", nil) },
	}
	for i, s := range steps {
		if err := s(); err != nil {
			fmt.Printf("step %d: %v\n", i+1, err) // the SMF refuses it: the others are tried all the same
		}
		time.Sleep(500 * time.Millisecond) // the SMF has carried it out
	}
	return nil
}

func (a *amf) modify(v object) error { return a.post(a.context+"/modify", v, "", "", nil) }

// tunnel gives the SMF the gNB's F-TEID: a PDUSessionResourceSetupResponseTransfer.
func (a *amf) tunnel(peer [4]byte, teid uint32) error {
	part := append([]byte{0, 3, 0xe0}, peer[:]...)
	part = append(part, byte(teid>>24), byte(teid>>16), byte(teid>>8), byte(teid), 0, 1)
	return a.post(a.context+"/modify",
		object{"n2SmInfo": object{"contentId": "ngap-sm"}, "n2SmInfoType": "PDU_RES_SETUP_RSP"}, "ngap", "ngap-sm", part)
}
