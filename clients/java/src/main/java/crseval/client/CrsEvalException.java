package crseval.client;

import crseval.generated.model.Problem;
import crseval.generated.model.ProblemError;
import java.net.http.HttpTimeoutException;
import java.util.List;

/** The service told a problem, or no answer came. Statuses of their own kind have a class of their own. */
@SuppressWarnings("serial")
public class CrsEvalException extends Exception {
  private final int status;
  private final transient Problem problem;

  CrsEvalException(int status, Problem problem, String otherwise, Throwable cause) {
    super(message(status, problem, otherwise), cause);
    this.status = status;
    this.problem = problem;
  }

  static CrsEvalException of(int status, Problem problem, String otherwise, Throwable cause) {
    return switch (status) {
      case 0 -> isLate(cause) ? new TimedOut(otherwise, cause) : new Unreachable(otherwise, cause);
      case 400, 422 -> new InvalidRequest(status, problem, otherwise, cause);
      case 401, 403 -> new NotAllowed(status, problem, otherwise, cause);
      case 404 -> new NotFound(status, problem, otherwise, cause);
      case 429 -> new RateLimited(status, problem, otherwise, cause);
      default -> status >= 500
          ? new ServiceFailed(status, problem, otherwise, cause)
          : new CrsEvalException(status, problem, otherwise, cause);
    };
  }

  /** Id of the request in the service's log; null where something else answered. */
  public String requestId() {
    return problem == null ? null : problem.getRequestId();
  }

  /** The status of the answer. */
  public int status() {
    return status;
  }

  /** Description of the fault and how to fix it; null where a proxy answered in the service's place. */
  public Problem problem() {
    return problem;
  }

  private static String message(int status, Problem problem, String otherwise) {
    if (problem == null) {
      return status == 0 ? "no answer: " + otherwise : status + " " + otherwise;
    }
    List<ProblemError> errors = problem.getErrors();
    if (errors == null || errors.isEmpty()) {
      return status + " " + problem.getDetail();
    }
    // The detail repeats the first of the errors.
    StringBuilder said = new StringBuilder().append(status).append(' ').append(problem.getTitle());
    for (ProblemError error : errors) {
      String place = error.getPointer().isEmpty() ? "the body" : error.getPointer();
      said.append("\n  ").append(place).append(": ").append(error.getDetail());
      said.append("; ").append(error.getFix());
    }
    return said.toString();
  }

  /** No answer came, however often it was tried, or not in time: the status is 0, the problem null. */
  public static class Unreachable extends CrsEvalException {
    Unreachable(String otherwise, Throwable cause) {
      super(0, null, otherwise, cause);
    }
  }

  /** No answer came in time. */
  public static final class TimedOut extends Unreachable {
    TimedOut(String otherwise, Throwable cause) {
      super(otherwise, cause);
    }
  }

  private static boolean isLate(Throwable cause) {
    return cause != null && (cause instanceof HttpTimeoutException || isLate(cause.getCause()));
  }

  /** 400 and 422: the request does not fit the contract; the problem names each field and the fix. */
  public static final class InvalidRequest extends CrsEvalException {
    InvalidRequest(int status, Problem problem, String otherwise, Throwable cause) {
      super(status, problem, otherwise, cause);
    }
  }

  /** 401 and 403: no key, or one that does not open this route. */
  public static final class NotAllowed extends CrsEvalException {
    NotAllowed(int status, Problem problem, String otherwise, Throwable cause) {
      super(status, problem, otherwise, cause);
    }
  }

  /** 404: there is nothing under that name. */
  public static final class NotFound extends CrsEvalException {
    NotFound(int status, Problem problem, String otherwise, Throwable cause) {
      super(status, problem, otherwise, cause);
    }
  }

  /** 429: too many requests. */
  public static final class RateLimited extends CrsEvalException {
    RateLimited(int status, Problem problem, String otherwise, Throwable cause) {
      super(status, problem, otherwise, cause);
    }
  }

  /** 5xx: the service, or a model behind it, gave no answer. */
  public static final class ServiceFailed extends CrsEvalException {
    ServiceFailed(int status, Problem problem, String otherwise, Throwable cause) {
      super(status, problem, otherwise, cause);
    }
  }
}
