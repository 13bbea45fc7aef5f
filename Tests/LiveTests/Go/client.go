// Calls a server with grpc-go: client ADDRESS CA MODE PATH FILE COUNT.
//
// CA is a file, or - for the clear. FILE holds the message that is sent. MODE is one of
//
//	each     COUNT calls, one after another
//	at-once  COUNT calls at once
//	stream   one call with COUNT messages, each of which is answered before the next
//	listen   one call with one message, and COUNT answers to it
//
// Prints a line for each way in which calls ended, with their number, and how many answers came.
package main

import (
	"context"
	"fmt"
	"io/ioutil"
	"os"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
)

// bytesCodec leaves messages as they are.
type bytesCodec struct{}

func (bytesCodec) Name() string                          { return "proto" }
func (bytesCodec) Marshal(v interface{}) ([]byte, error) { return *v.(*[]byte), nil }
func (bytesCodec) Unmarshal(bytes []byte, v interface{}) error {
	*v.(*[]byte) = append([]byte(nil), bytes...)
	return nil
}

func main() {
	address, ca, mode, path, file := os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	count, _ := strconv.Atoi(os.Args[6])
	message, err := ioutil.ReadFile(file)
	if err != nil {
		panic(err)
	}
	security := grpc.WithInsecure()
	if ca != "-" {
		trust, err := credentials.NewClientTLSFromFile(ca, "")
		if err != nil {
			panic(err)
		}
		security = grpc.WithTransportCredentials(trust)
	}
	channel, err := grpc.Dial(address, security)
	if err != nil {
		panic(err)
	}
	context, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	asBytes := grpc.ForceCodec(bytesCodec{})

	var lock sync.Mutex
	ends, answers := map[string]int{}, 0
	note := func(err error, came int) {
		lock.Lock()
		defer lock.Unlock()
		end := status.Convert(err)
		ends[fmt.Sprintf("%v %v", end.Code(), end.Message())]++
		answers += came
	}
	unary := func() {
		var reply []byte
		if err := channel.Invoke(context, path, &message, &reply, asBytes); err != nil {
			note(err, 0)
		} else {
			note(nil, 1)
		}
	}
	stream := func() error {
		both := &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}
		call, err := channel.NewStream(context, both, path, asBytes)
		if err != nil {
			return err
		}
		var reply []byte
		for sent := 0; sent < count; sent++ {
			if mode == "stream" || sent == 0 {
				if err := call.SendMsg(&message); err != nil {
					return call.RecvMsg(&reply)
				}
			}
			if mode == "listen" && sent == 0 {
				call.CloseSend()
			}
			if err := call.RecvMsg(&reply); err != nil {
				return err
			}
			answers++
		}
		return nil
	}
	switch mode {
	case "each":
		for i := 0; i < count; i++ {
			unary()
		}
	case "at-once":
		var all sync.WaitGroup
		for i := 0; i < count; i++ {
			all.Add(1)
			go func() { defer all.Done(); unary() }()
		}
		all.Wait()
	default:
		note(stream(), 0)
	}
	for end, number := range ends {
		fmt.Printf("%d %s\n", number, end)
	}
	fmt.Printf("%d answers\n", answers)
}
