import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Calls a server with grpc-netty, as Go/client.go does with grpc-go: Client HOST:PORT CA MODE PATH
 * FILE COUNT. Prints the same lines.
 */
public final class Client {
  private static final TreeMap<String, Integer> ends = new TreeMap<>();
  private static int answers;

  /** Leaves messages as they are. */
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        public InputStream stream(byte[] message) {
          return new ByteArrayInputStream(message);
        }

        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException error) {
            throw new IllegalStateException(error);
          }
        }
      };

  public static void main(String[] words) throws Exception {
    String mode = words[2];
    byte[] message = Files.readAllBytes(new File(words[4]).toPath());
    int count = Integer.parseInt(words[5]);
    NettyChannelBuilder builder = NettyChannelBuilder.forTarget(words[0]);
    if (words[1].equals("-")) {
      builder.usePlaintext();
    } else {
      builder.sslContext(
          GrpcSslContexts.forClient().trustManager(new File(words[1])).build());
    }
    ManagedChannel channel = builder.build();
    boolean isUnary = mode.equals("each") || mode.equals("at-once");
    MethodDescriptor<byte[], byte[]> method =
        MethodDescriptor.newBuilder(BYTES, BYTES)
            .setType(
                isUnary
                    ? MethodDescriptor.MethodType.UNARY
                    : MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName(words[3].substring(1))
            .build();
    int messages = mode.equals("stream") ? count : 1;
    int wanted = isUnary ? 1 : count;
    CountDownLatch all = new CountDownLatch(isUnary ? count : 1);
    for (int i = 0; i < (isUnary ? count : 1); i++) {
      CountDownLatch one = new CountDownLatch(1);
      call(channel, method, message, messages, wanted, all, one);
      if (mode.equals("each")) {
        one.await();
      }
    }
    all.await();
    channel.shutdownNow();
    synchronized (ends) {
      ends.forEach((end, number) -> System.out.println(number + " " + end));
      System.out.println(answers + " answers");
    }
  }

  /** Sends so many messages, the next when one has been answered, and waits for as many answers. */
  private static void call(
      Channel channel,
      MethodDescriptor<byte[], byte[]> method,
      byte[] message,
      int messages,
      int wanted,
      CountDownLatch all,
      CountDownLatch one) {
    ClientCall<byte[], byte[]> call =
        channel.newCall(method, CallOptions.DEFAULT.withDeadlineAfter(60, TimeUnit.SECONDS));
    call.start(
        new ClientCall.Listener<byte[]>() {
          private int came;

          @Override
          public void onMessage(byte[] reply) {
            came++;
            if (came < messages) {
              call.sendMessage(message);
            }
            if (came == messages && messages > 1) {
              call.halfClose();
            }
            if (came == wanted && messages == 1 && wanted > 1) {
              call.cancel("enough", null);
            }
            call.request(1);
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            boolean isEnough = came == wanted && status.getCode() == Status.Code.CANCELLED;
            String text = status.getDescription() == null ? "" : status.getDescription();
            synchronized (ends) {
              ends.merge(isEnough ? "OK " : status.getCode() + " " + text, 1, Integer::sum);
              answers += came;
            }
            one.countDown();
            all.countDown();
          }
        },
        new Metadata());
    call.request(1);
    call.sendMessage(message);
    if (messages == 1) {
      call.halfClose();
    }
  }
}
